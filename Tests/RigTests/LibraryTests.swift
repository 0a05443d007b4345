import CaptureModel
import Catalogue
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("A library", .rigTimeLimit)
struct LibraryTests {
    private let files = FileManager.default

    /// A rig that has fired, and stopped.
    private func fired(_ count: Int) throws -> (rig: LocalRig, ids: [String]) {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for (index, node) in ["north", "south"].enumerated() { try rig.startNode(node, seed: index + 1) }
        try rig.awaitReady(2)
        return (rig, try (0..<count).map { try fire(rig, "number=\($0)") })
    }

    private func fire(_ rig: LocalRig, _ label: String) throws -> String {
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\nformats: [jpeg, dng]\n")
        let result = try rig.volley("fire", plan, "--wait", "--session", "day", "--label", label)
        try #require(result.status == 0, "\(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func photos(_ rig: LocalRig) throws -> [String] {
        let all = try #require(files.enumerator(atPath: rig.library + "/photos"))
        return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".dng") }.sorted()
    }

    private func rows(_ catalogue: String, _ sql: String) throws -> [Row] {
        var configuration = Configuration()
        configuration.readonly = true
        return try DatabaseQueue(path: catalogue, configuration: configuration).read { try Row.fetchAll($0, sql: sql) }
    }

    @Test("can make its catalogue anew, equal in all that matters")
    func rebuild() throws {
        let (rig, ids) = try fired(2)
        #expect(rig.terminate("coordinator") == 0)
        let catalogue = rig.library + "/catalogue.sqlite"
        #expect(files.contents(atPath: catalogue + "-wal") ?? Data() == Data(), "an orderly end leaves the log empty")
        let tables = [
            "SELECT * FROM photo ORDER BY unique_id, node, photo_count",
            "SELECT * FROM event ORDER BY unique_id, node, sequence",
            "SELECT * FROM capture_node ORDER BY unique_id, node", "SELECT * FROM capture_label ORDER BY unique_id",
            """
            SELECT unique_id, request_id, state, reason, plan_name, plan, session, created_at, fire_rig_time_ns,
                started_at, started_rig_time_ns FROM capture JOIN run ON run = id ORDER BY unique_id
            """,
        ]
        let before = try tables.map { try rows(catalogue, $0) }
        #expect(before[0].count == 16 && before[1].count == 2 * 2 * 10)
        for suffix in ["", "-wal", "-shm"] { try? files.removeItem(atPath: catalogue + suffix) }
        let result = try rig.volley("rebuild", rig.library)
        #expect(result.status == 0 && result.errors.contains("2 captures."), "\(result.errors)")
        for (sql, rows) in zip(tables, before) { #expect(try self.rows(catalogue, sql) == rows, "\(sql)") }
        #expect(try rig.volley("verify", rig.library).status == 0)
        // It goes on from there.
        try rig.startCoordinator()
        try rig.awaitReady(2)
        #expect(try fire(rig, "number=3") > ids[1])
    }

    @Test("whose catalogue another program holds says so in time, and takes captures again when it lets go")
    func locked() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        var patient = Configuration()
        // The coordinator may be writing.
        patient.busyMode = .timeout(10)
        let other = try DatabaseQueue(path: rig.library + "/catalogue.sqlite", configuration: patient)
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\n")
        let refused = try other.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            defer { try? db.execute(sql: "ROLLBACK") }
            return try (1...3).map { _ in try rig.volley("fire", plan) }
        }
        for result in refused {
            #expect(result.status == 75 && result.errors.contains("cannot take a capture"), "\(result.errors)")
        }
        #expect(refused[0].errors.contains("locked"), "\(refused[0].errors)")
        let id = try fire(rig, "number=1")
        let known = try rows(rig.library + "/catalogue.sqlite", "SELECT unique_id FROM capture")
        #expect(known.map { "\($0[0] as Int64)" } == [id])
        try other.close()
    }

    /// At the last archive before the catalogues change places, and when the new one has its name.
    @Test("loses nothing when a new catalogue is cut short", arguments: [2, 3])
    func rebuildCutShort(renames: Int) throws {
        let (rig, ids) = try fired(2)
        #expect(rig.terminate("coordinator") == 0)
        let cut = try rig.program(
            "volley", ["rebuild", rig.library], environment: ["VOLLEY_FAILPOINT": "fileRenamed:\(renames)"])
        #expect(cut.status == SIGKILL, "\(cut.errors)")
        let known = try rig.volley("captures", "--library", rig.library)
        #expect(ids.allSatisfy { known.output.contains($0) }, "\(known.output)")
        #expect(try rig.volley("rebuild", rig.library).status == 0)
        let rebuilt = try rig.volley("captures", "--library", rig.library)
        #expect(ids.allSatisfy { rebuilt.output.contains($0) }, "\(rebuilt.output)")
        #expect(try rig.volley("verify", rig.library).status == 0)
    }

    @Test("can make its catalogue anew in the middle of a capture, which is whole all the same")
    func rebuildInTheMiddle() throws {
        let (rig, _) = try fired(1)
        let fired = try rig.volley("fire", rig.write("long.yaml", "bracket: {burst: 32}\n"))
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("some photos") { try rig.capture(id).summary.storedPhotoCount > 8 }
        rig.kill9("coordinator")
        #expect(try rig.volley("rebuild", rig.library).status == 0)
        try rig.startCoordinator()
        try rig.wait("the capture to be whole") {
            let capture = try rig.capture(id)
            return capture.summary.state == .complete && capture.summary.storedPhotoCount == 64
        }
        #expect(try rig.volley("verify", rig.library).status == 0)
    }

    @Test("is verified beside a running rig: a photo that was changed, one that is missing and one too many are named")
    func verify() throws {
        let (rig, ids) = try fired(1)
        #expect(try rig.volley("verify", rig.library).status == 0)
        let nowhere = try rig.volley("backup", rig.library, rig.file("none/copy.sqlite"))
        #expect(nowhere.status == 78 && nowhere.errors.contains("There is no folder"), "\(nowhere.errors)")
        let photos = try photos(rig)
        let folder = rig.library + "/photos/"
        let handle = try #require(FileHandle(forUpdatingAtPath: folder + photos[0]))
        try handle.seek(toOffset: 100)
        handle.write(Data("x".utf8))
        try handle.close()
        try files.removeItem(atPath: folder + photos[1])
        // Its name could be a photo's; the other's could not, and is somebody's own.
        let stray = String(photos[2].dropLast("01.jpg".count)) + "63.jpg"
        for name in [stray, photos[2] + "-copy"] {
            try files.copyItem(atPath: folder + photos[2], toPath: folder + name)
        }
        let found = try rig.volley("verify", rig.library)
        #expect(found.status == 1)
        #expect(found.output.contains("photos/\(photos[0]): the file is not what was stored"))
        #expect(found.output.contains("photos/\(photos[1]): the file is missing"))
        #expect(found.output.contains("photos/\(stray): the catalogue knows no such file"))
        let busy = try rig.volley("verify", rig.library, "--repair")
        #expect(busy.status == 75 && busy.errors.contains("stop it first"), "\(busy.errors)")
        #expect(rig.terminate("coordinator") == 0)
        let repaired = try rig.volley("verify", rig.library, "--repair")
        #expect(repaired.status == 2 && repaired.errors.contains("3 problems, none left"), "\(repaired.errors)")
        let agreed = try rig.volley("verify", rig.library)
        #expect(agreed.status == 0 && agreed.errors.contains("Of the others 2 lost;"), "\(agreed.errors)")
        #expect(try files.contentsOfDirectory(atPath: rig.library + "/quarantine").count == 2)
        #expect(files.fileExists(atPath: folder + photos[2] + "-copy"))
        let catalogue = rig.library + "/catalogue.sqlite"
        let lost = try rows(catalogue, "SELECT error_message FROM photo WHERE state = 'failed' ORDER BY 1")
        #expect(
            lost.map { $0[0] as String? ?? "" } == [
                "Its file is no longer in the library.", "Its file was damaged in the library.",
            ])
        let state = try rows(catalogue, "SELECT state FROM capture WHERE unique_id = \(ids[0])")
        #expect(state.first?["state"] == "failed", "policy: all")
    }

    @Test("is backed up while the rig runs; with an old copy nothing is forgotten and no id comes twice")
    func backup() throws {
        let (rig, ids) = try fired(1)
        let copy = rig.file("copy.sqlite")
        let made = try rig.volley("backup", rig.library, copy)
        #expect(made.status == 0 && made.errors.contains("1 capture copied"), "\(made.errors)")
        #expect(try rig.volley("backup", rig.library, copy).status == 78, "it is there already")
        let inside = try rig.volley("backup", rig.library, rig.library + "/photos/copy.sqlite")
        #expect(inside.status == 78 && inside.errors.contains("is in the library"), "\(inside.errors)")
        let later = try fire(rig, "number=1")
        let busy = try rig.volley("restore", copy, "--library", rig.library)
        #expect(busy.status == 75 && busy.errors.contains("stop it first"), "\(busy.errors)")
        #expect(rig.terminate("coordinator") == 0)
        let restored = try rig.volley("restore", copy, "--library", rig.library)
        #expect(restored.status == 0 && restored.errors.contains("1 capture."), "\(restored.errors)")
        try rig.startCoordinator()
        try rig.awaitReady(2)
        let shown = try rig.capture(later)
        #expect(shown.summary.state == .complete && shown.photos.allSatisfy { $0.path != nil })
        #expect(shown.summary.labels == ["number": "1"])
        let next = try fire(rig, "number=2")
        #expect(Int(next) ?? 0 > Int(later) ?? 0 && Int(later) ?? 0 > Int(ids[0]) ?? 0)
        #expect(try rig.volley("verify", rig.library).status == 0)
    }

    @Test("whose catalogue is damaged says so and what to do, and doing it helps")
    func damaged() throws {
        let (rig, ids) = try fired(1)
        #expect(rig.terminate("coordinator") == 0)
        // What the coordinator did not write back from the log at its end would hide the damage.
        for suffix in ["-wal", "-shm"] { try? files.removeItem(atPath: rig.library + "/catalogue.sqlite" + suffix) }
        let catalogue = try #require(FileHandle(forWritingAtPath: rig.library + "/catalogue.sqlite"))
        // A page in the middle, of which nobody knows who does not look at it.
        try catalogue.seek(toOffset: 4096 * 8)
        catalogue.write(Data(repeating: 0x56, count: 4096))
        let copy = rig.file("copy.sqlite")
        let copied = try rig.volley("backup", rig.library, copy)
        #expect(copied.status == 74 && copied.errors.contains("No copy was made"), "\(copied.errors)")
        #expect(!files.fileExists(atPath: copy))
        try catalogue.seek(toOffset: 0)
        catalogue.write(Data(repeating: 0x56, count: 4096))
        try catalogue.close()
        let advice = "volley rebuild"
        for command in [["verify", rig.library], ["captures", "--library", rig.library]] {
            let result = try rig.volley(command)
            #expect(result.status == 74 && result.errors.contains(advice), "\(command): \(result.errors)")
        }
        let coordinator = try rig.program("volley-coordinator", ["--config", rig.file("coordinator.yaml")])
        #expect(coordinator.status == 74 && coordinator.errors.contains(advice), "\(coordinator.errors)")
        #expect(try rig.volley("rebuild", rig.library).status == 0)
        // Photos that are away for a moment are not taken for lost.
        try files.moveItem(atPath: rig.library + "/photos", toPath: rig.file("away"))
        let without = try rig.program("volley-coordinator", ["--config", rig.file("coordinator.yaml")])
        #expect(without.status == 78 && without.errors.contains("mounted"), "\(without.errors)")
        let repair = try rig.volley("verify", "--repair", rig.library)
        #expect(repair.status == 78 && repair.errors.contains("mounted"), "\(repair.errors)")
        // Nothing stands in the way of bringing them back.
        #expect(!files.fileExists(atPath: rig.library + "/photos"))
        try files.moveItem(atPath: rig.file("away"), toPath: rig.library + "/photos")
        try rig.startCoordinator()
        let capture = try rig.capture(ids[0])
        #expect(capture.summary.state == .complete && capture.photos.allSatisfy { $0.path != nil })
    }

    @Test("whose photos are gone for good counts them as lost, and takes them back if they are not")
    func gone() throws {
        let (rig, ids) = try fired(1)
        #expect(try rig.log("coordinator").contains("library \(rig.library) is new"))
        #expect(rig.terminate("coordinator") == 0)
        try files.moveItem(atPath: rig.library + "/photos", toPath: rig.file("away"))
        let gone = try rig.volley("verify", "--repair", "--photos-gone", rig.library)
        #expect(gone.status == 2 && gone.errors.contains("counts as lost"), "\(gone.errors)")
        try rig.startCoordinator()
        #expect(try rig.capture(ids[0]).photos.allSatisfy { $0.path == nil })
        #expect(try !rig.log("coordinator").contains("is new"), "it was there before")
        #expect(rig.terminate("coordinator") == 0)
        try files.removeItem(atPath: rig.library + "/photos")
        try files.moveItem(atPath: rig.file("away"), toPath: rig.library + "/photos")
        let back = try rig.volley("verify", "--repair", rig.library)
        #expect(back.status == 0 && back.errors.contains("none left"), "\(back.errors)")
        let library = try rig.volley("captures", "--library", rig.library, "--json").output
        #expect(
            library.contains(#""storedPhotoCount" : 8"#) && library.contains(#""state" : "complete""#), "\(library)")
    }

    @Test("that is none is refused with what to do")
    func none() throws {
        let rig = try LocalRig()
        for command in ["verify", "rebuild"] {
            let result = try rig.volley(command, rig.scratch.path)
            #expect(result.status == 78 && result.errors.contains("is not a library"), "\(result.errors)")
        }
    }
}
