import CaptureModel
import Catalogue
import Foundation
import GRDB
import Library
import LibraryCare
import Posix
import Testing

@Suite("A library's catalogue")
final class MaintenanceTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    private var file: String { root + "/catalogue.sqlite" }
    private var copy: String { root + "-copy.sqlite" }

    deinit {
        for path in [root, root + "-copy.sqlite"] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// A library in which a coordinator ran, and accepted captures.
    private func accept(_ numbers: ClosedRange<Int>) async throws {
        let library = try Library(root: root)
        let catalogue = try Catalogue(
            path: file, startedAt: UTCTime(rawValue: Int64(numbers.lowerBound)), rigTime: RigTime(nanoseconds: 0))
        for number in numbers {
            let id = UniqueID(rawValue: 1_800_000_000_000_000 + Int64(number))
            let capture = NewCapture(
                uniqueID: id, requestID: "r\(number)", firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(1)),
                createdAt: UTCTime(rawValue: id.rawValue), nodes: ["a"])
            try await catalogue.commit([.node(name: "a", nil, at: 1), .capture(capture)])
            try await library.keep(id, as: catalogue)
        }
        try catalogue.close()
    }

    /// As a coordinator leaves it that was killed: what came last is in the log alone.
    private func leaveLog() throws {
        let queue = try DatabaseQueue(path: file)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "INSERT INTO node (name, first_seen_at, last_seen_at) VALUES ('late', 1, 1)")
        }
        let left = try [file, file + "-wal"].map { ($0, try Data(contentsOf: URL(fileURLWithPath: $0))) }
        try queue.close()
        for (path, bytes) in left { try bytes.write(to: URL(fileURLWithPath: path)) }
        #expect(!left[1].1.isEmpty)
    }

    private func count() async throws -> Int { try await LibraryMaintenance.catalogue(of: root).captureCount() }

    /// The files of the library's folder that have to do with its catalogue.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root).filter { $0.hasPrefix("catalogue") }.sorted()
    }

    private func geometry(_ since: Int64) -> RigGeometry {
        let cameras = ["A", "B"].map { name in
            CameraGeometry(
                camera: name,
                intrinsics: CameraIntrinsics(dimensions: Dimensions(width: 64, height: 48), focalLength: 60),
                pose: CameraPose(eye: SIMD3(name == "A" ? 1 : 2, 1, 3), lookingAt: .zero))
        }
        return RigGeometry(since: UTCTime(rawValue: since), captures: [], isMetric: false, cameras: cameras)
    }

    @Test("keeps each version of the rig's geometry, whichever of its two places is old, lost or damaged")
    func geometries() async throws {
        try await accept(1...1)
        let folder = LibraryFolder(root: root)
        func versions() async throws -> [Int] { try await Catalogue(reading: file).geometryVersions() }
        var catalogue = try Catalogue(annotating: file)
        for since in [10, 20, 30] as [Int64] { _ = try await folder.keep(geometry(since), in: catalogue) }
        #expect(try await catalogue.geometry(at: 25)?.version == 2)
        #expect(try await catalogue.geometry(at: 5) == nil)
        // An older copy of the catalogue gives no number again.
        try await catalogue.forgetGeometry(version: 3)
        #expect(try await folder.keep(geometry(40), in: catalogue).version == 4)
        #expect(try folder.geometry(version: 3)?.since == 30)
        try catalogue.close()
        // Both know all; of a damaged file the catalogue knows what it said.
        try Data("{".utf8).write(to: URL(fileURLWithPath: root + "/geometry/1.json"))
        try FileManager.default.removeItem(atPath: root + "/geometry/2.json")
        for stray in ["0.json", "x.json", "99999999999999999999.json", "5.json.part"] {
            try Data("{}".utf8).write(to: URL(fileURLWithPath: root + "/geometry/" + stray))
        }
        catalogue = try Catalogue(annotating: file)
        #expect(await folder.reconcileGeometry(catalogue) == [])
        #expect(try folder.geometry(version: 2)?.since == 20)
        #expect(try await versions() == [1, 2, 3, 4])
        try catalogue.close()
        // A rebuild takes what is whole, says what is not, and gives no number again.
        let rebuilt = try await LibraryMaintenance(root).rebuild()
        #expect(rebuilt.remarks.count == 1 && rebuilt.remarks[0].contains("geometry/1.json is damaged"))
        #expect(try await versions() == [2, 3, 4])
        // Not even a folder in the place of a file keeps it from that.
        try FileManager.default.removeItem(atPath: root + "/geometry")
        try Data().write(to: URL(fileURLWithPath: root + "/geometry"))
        #expect(try await LibraryMaintenance(root).rebuild().captureCount == 1)
        await #expect(throws: (any Error).self) {
            try await folder.keep(geometry(50), in: try Catalogue(annotating: file))
        }
        #expect(try await versions() == [], "nothing is kept in one place only")
    }

    @Test("goes back to a copy, whatever log lies beside it; the old one is kept, and so is the copy")
    func restore() async throws {
        try await accept(1...2)
        let maintenance = try LibraryMaintenance(root)
        #expect(try await maintenance.backUp(to: copy) == 2)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
        try await accept(3...4)
        try leaveLog()
        let replacement = try await maintenance.restore(from: copy)
        #expect(replacement.captureCount == 2)
        let former = try #require(replacement.former)
        let name = (former as NSString).lastPathComponent
        #expect(try files() == ["catalogue.sqlite", name])
        #expect(Int(name.dropFirst("catalogue.sqlite.".count)) != nil, "\(name)")
        let late = try await DatabaseQueue(path: former).read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM node WHERE name = 'late'")
        }
        #expect(late == 1, "what was in the log is in the old one")
        #expect(try await count() == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes)
        // What the copy does not know is taken from the archives.
        #expect(try await maintenance.repair().captureCount == 4)
        try #require(try await maintenance.restore(from: copy).former != former)
    }

    @Test("is as it was where a copy is no whole catalogue")
    func refusals() async throws {
        try await accept(1...2)
        let maintenance = try LibraryMaintenance(root)
        _ = try await maintenance.backUp(to: copy)
        let page = 4096
        var damaged = try Data(contentsOf: URL(fileURLWithPath: copy))
        damaged.replaceSubrange(page * 3..<page * 4, with: Data(repeating: 0x56, count: page))
        let before = try files()
        let other = try DatabaseQueue()
        try await other.write { try $0.execute(sql: "CREATE TABLE bookmark (url TEXT)") }
        try other.backup(to: DatabaseQueue(path: root + "-other.sqlite"))
        defer { try? FileManager.default.removeItem(atPath: root + "-other.sqlite") }
        let cases: [(Data?, LibraryProblem.Kind)] = [
            (damaged, .damaged), (Data("a picture".utf8), .damaged), (Data(), .wrongPlace), (nil, .wrongPlace),
            (try Data(contentsOf: URL(fileURLWithPath: root + "-other.sqlite")), .failed),
        ]
        for (index, (bytes, kind)) in cases.enumerated() {
            try? FileManager.default.removeItem(atPath: copy)
            try bytes?.write(to: URL(fileURLWithPath: copy))
            let problem = await #expect(throws: LibraryProblem.self) { try await maintenance.restore(from: self.copy) }
            #expect(problem?.kind == kind, "case \(index): \(String(describing: problem))")
            #expect(try files() == before, "case \(index)")
        }
        #expect(try await count() == 2)
    }

    @Test("is left to whoever has the library")
    func busy() async throws {
        try await accept(1...1)
        let maintenance = try LibraryMaintenance(root)
        _ = try await maintenance.backUp(to: copy)
        let lock = try PosixFileSystem().lock(root)
        for body in [{ _ = try await maintenance.restore(from: self.copy) }, { _ = try await maintenance.rebuild() }] {
            let problem = await #expect(throws: LibraryProblem.self) { try await body() }
            #expect(problem?.kind == .inUse)
        }
        // Questions and copies need nobody's leave.
        #expect(try await maintenance.verify().leftCount == 0)
        #expect(try await maintenance.backUp(to: copy + "2") == 1)
        try FileManager.default.removeItem(atPath: copy + "2")
        withExtendedLifetime(lock) {}
    }

    @Test("stays locked while its disk is looked at, so that a program of somebody else's does not take its log away")
    func lookKeepsLocks() async throws {
        try await accept(1...1)
        let library = try Library(root: root)
        let catalogue = try Catalogue(path: file, startedAt: 5, rigTime: RigTime(nanoseconds: 0))
        _ = try await library.beginRun(startedAt: 5, formerRun: nil)
        try await catalogue.commit([.node(name: "before", nil, at: 1)])
        let look = LibraryWatch(library.folder).look()
        if case .trouble = look { Issue.record("\(look)") }
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        other.arguments = [
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT count(*) FROM node').fetchone()",
            file,
        ]
        try other.run()
        other.waitUntilExit()
        #expect(other.terminationStatus == 0)
        #expect(FileManager.default.fileExists(atPath: file + "-wal"), "what is committed now would be lost")
        withExtendedLifetime(catalogue) {}
    }

    @Test("is copied to one place by one backup at a time, which uses again what one that was killed left there")
    func twoBackups() async throws {
        try await accept(1...1)
        let maintenance = try LibraryMaintenance(root)
        let part = copy + ".part"
        try PosixFileSystem().makeFolder(part)
        try Data("half of it".utf8).write(to: URL(fileURLWithPath: part + "/catalogue.sqlite"))
        do {
            let lock = try PosixFileSystem().lock(part)
            let problem = await #expect(throws: LibraryProblem.self) { try await maintenance.backUp(to: self.copy) }
            #expect(problem?.kind == .inUse)
            withExtendedLifetime(lock) {}
        }
        #expect(try await maintenance.backUp(to: copy) == 1)
        #expect(!FileManager.default.fileExists(atPath: part))
        let problem = await #expect(throws: LibraryProblem.self) { try await maintenance.backUp(to: self.copy) }
        #expect(problem?.kind == .wrongPlace && !FileManager.default.fileExists(atPath: part))
    }

    @Test("is copied over nothing: no pipe, and no link that leads nowhere")
    func taken() async throws {
        try await accept(1...1)
        for make in [{ _ = mkfifo(self.copy, 0o600) }, { _ = symlink("nowhere", self.copy) }] {
            make()
            let before = try FileManager.default.attributesOfItem(atPath: copy)[.type] as? FileAttributeType
            await #expect(throws: LibraryProblem.self) { try await LibraryMaintenance(self.root).backUp(to: self.copy) }
            #expect(
                try FileManager.default.attributesOfItem(atPath: copy)[.type] as? FileAttributeType == before
                    && before != .typeRegular)
            try FileManager.default.removeItem(atPath: copy)
        }
    }

    @Test("of a later release is left alone")
    func later() async throws {
        try await accept(1...1)
        let queue = try DatabaseQueue(path: file)
        try await queue.write {
            try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99: what nobody knows')")
        }
        try queue.close()
        let error = #expect(throws: (any Error).self) {
            try Catalogue(path: file, startedAt: 2, rigTime: RigTime(nanoseconds: 0))
        }
        #expect(Catalogue.sentence(for: try #require(error)).contains("later release"))
    }
}
