import CaptureModel
import Foundation
import TestSupport
import Testing

/// Real file systems that are full, and real syncs that fail.
@Suite("A rig on bad disks", .enabled(if: geteuid() == 0, "it mounts and traces"), .rigTimeLimit)
struct DiskTests {
    private func fire(_ rig: LocalRig, _ count: Int) throws -> String {
        let plan = try rig.write("plan.yaml", "bracket: {burst: \(count)}\npolicy: bestEffort\n")
        let fired = try rig.volley("fire", plan)
        try #require(fired.status == 0, "\(fired.errors)")
        return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Each photo is there, or says why it is not; nothing is with the nodes.
    private func settled(_ rig: LocalRig, _ id: String) throws -> CaptureDetail {
        try rig.wait("capture \(id) to end") { try rig.capture(id).summary.state.isFinal }
        try rig.awaitClean("node-1")
        let capture = try rig.capture(id)
        #expect(capture.photos.allSatisfy { ($0.path == nil) == ($0.record.error != nil) })
        #expect(capture.events.map(\.sequence) == Array(1..<capture.events.count + 1))
        #expect(capture.events.last?.kind == .didFinishCapture)
        return capture
    }

    /// All of a capture has come in the end. Its last photo may be in the catalogue for a second before its new end is.
    private func awaitWhole(_ rig: LocalRig, _ id: String) throws {
        _ = try settled(rig, id)
        try rig.wait("capture \(id) to be complete") { try rig.capture(id).summary.state == .complete }
    }

    @Test("that fill up under a node in the middle of a capture cost the photos that do not fit, and no event")
    func fullSpool() throws {
        let rig = try LocalRig()
        let disk = try SmallDisk(rig.file("spool-node-1"), megabytes: 96)
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        let id = try fire(rig, 60)
        try rig.wait("an exposure") { try rig.capture(id).events.contains { $0.kind == .didCapturePhoto } }
        disk.fill()
        let capture = try settled(rig, id)
        #expect(capture.photos.contains { $0.record.error?.code == .storageFailed }, "\(capture.summary)")
        let plan = rig.file("plan.yaml")
        disk.fill()
        try rig.wait("the node to say that its spool is full") { try rig.volley("nodes").output.contains("spoolFull") }
        let refused = try rig.volley("fire", plan, "--wait")
        #expect(refused.status == 75 && refused.errors.contains("The spool of node node-1"), "\(refused.errors)")
        disk.free()
        try rig.awaitReady(1)
        #expect(try rig.volley("fire", plan, "--wait").status == 0)
    }

    @Test(
        "that turn read-only under a node hold up what it delivers until that can be kept"
    )
    func readOnlySpool() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        // The kernel turns no disk read-only on demand that is written to; a folder on it, it does.
        let spool = rig.file("spool-node-1")
        #expect(try run("/usr/bin/mount", ["--bind", spool, spool]).status == 0)
        #expect(try run("/usr/bin/mount", ["-o", "remount,bind,ro", spool]).status == 0)
        let id: String
        do {
            defer { _ = try? run("/usr/bin/umount", ["-l", spool]) }
            id = try fire(rig, 60)
            try rig.wait("the node to say so") { try rig.log("node-1").contains("Read-only file system") }
        }
        let capture = try settled(rig, id)
        // At most the one that was being written is lost.
        #expect(capture.summary.storedPhotoCount >= 59, "\(capture.summary)")
        #expect(try rig.volley("fire", rig.file("plan.yaml"), "--wait").status == 0)
    }

    @Test("that are full when a node starts, also where its reserve was, hold up neither what it has nor what it owes")
    func fullStart() throws {
        let rig = try LocalRig()
        let spool = rig.file("spool-node-1")
        let disk = try SmallDisk(spool, megabytes: 96)
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        let id = try fire(rig, 60)
        try rig.wait("an exposure") { try rig.capture(id).events.contains { $0.kind == .didCapturePhoto } }
        rig.kill9("coordinator")
        try rig.wait("photos in the spool") {
            try FileManager.default.contentsOfDirectory(atPath: "\(spool)/\(id)").count > 5
        }
        rig.kill9("node-1")
        try FileManager.default.removeItem(atPath: spool + "/reserve")
        disk.fill()
        try rig.startNode("node-1", seed: 1)
        try rig.startCoordinator()
        let capture = try settled(rig, id)
        #expect(capture.summary.storedPhotoCount >= 3 && capture.summary.storedPhotoCount < 60, "\(capture.summary)")
    }

    @Test("that fill up under the coordinator hold it up, and cost nothing")
    func fullLibrary() throws {
        let rig = try LocalRig()
        let disk = try SmallDisk(rig.library, megabytes: 160)
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        let id = try fire(rig, 40)
        try rig.wait("a photo") { try rig.capture(id).summary.storedPhotoCount > 0 }
        for _ in 0..<20 {
            disk.fill()
            usleep(100_000)
        }
        disk.free()
        try awaitWhole(rig, id)
    }

    /// Has the kernel fail some of a program's calls.
    ///
    /// - Parameter paths: the files of which calls are meant; none for all.
    /// - Returns: what reads the calls that failed.
    private func inject(
        _ fault: String, into program: String, _ rig: LocalRig, paths: [String] = []
    ) throws -> () throws -> String {
        let (failures, call) = (rig.file("failures"), fault.prefix { $0 != ":" })
        try rig.start(
            "strace", "/usr/bin/strace",
            ["-f", "-y", "-qq", "-o", failures, "-e", "trace=\(call)", "-e", "inject=\(fault)"]
                + paths.flatMap { ["-P", $0] } + ["-p", "\(rig.processID(program))"])
        try rig.wait("strace to have attached itself") {
            let status = try String(contentsOfFile: "/proc/\(rig.processID(program))/status", encoding: .utf8)
            return !status.contains("TracerPid:\t0\n")
        }
        return { try String(contentsOfFile: failures, encoding: .utf8) }
    }

    @Test("whose quota a node exhausts cost the photos that do not fit, and no event")
    func quota() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("later.yaml", "bracket: {burst: 60}\npolicy: bestEffort\nlead: 3s\n")
        let fired = try rig.volley("fire", plan)
        let id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        // A quota says no where there is room for others: what the file system has free does not show it.
        let folder = rig.file("spool-node-1") + "/" + id
        let failures = try inject(
            "write:error=EDQUOT:when=1+3", into: "node-1", rig,
            paths: (10...40).map { "\(folder)/\($0).jpg.part" } + ["\(folder)/events.jsonl"])
        let capture = try settled(rig, id)
        rig.kill9("strace")
        let told = try failures()
        #expect(told.contains("INJECTED") && told.contains("events.jsonl") && told.contains(".jpg.part"), "\(told)")
        let failed = capture.photos.compactMap(\.record.error)
        #expect(!failed.isEmpty && failed.count < 40, "\(capture.summary)")
        #expect(failed.allSatisfy { $0.code == .storageFailed && $0.message.contains("quota") }, "\(failed)")
        #expect(try rig.volley("fire", plan, "--wait").status == 0)
    }

    @Test("whose syncs fail now and then", arguments: ["node-1", "coordinator"])
    func failingSyncs(program: String) throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("node-1", seed: 1)
        try rig.awaitReady(1)
        let failures = try inject("fdatasync:error=EIO:when=2+4", into: program, rig)
        let id = try fire(rig, 8)
        if program == "coordinator" { try awaitWhole(rig, id) } else { _ = try settled(rig, id) }
        // What it traced goes on.
        rig.kill9("strace")
        #expect(try failures().contains("INJECTED"))
        #expect(try rig.volley("fire", rig.file("plan.yaml"), "--wait").status == 0)
    }
}
