import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A rig in bad weather", .rigTimeLimit)
struct FaultTests {
    private func rig(_ nodes: Int) throws -> LocalRig {
        let rig = try LocalRig()
        try rig.startCoordinator()
        for number in 1...nodes { try rig.startNode("node-\(number)", seed: number) }
        try rig.awaitReady(nodes)
        return rig
    }

    @Test(
        "that loses a node in the middle ends as its policy says, and is whole again with the node back",
        arguments: [("bestEffort", CaptureState.partial), ("all", .failed)])
    func killedNode(policy: String, state: CaptureState) throws {
        let rig = try rig(2)
        let plan = try rig.write("long.yaml", "bracket: {burst: 60}\npolicy: \(policy)\n")
        let id = try rig.volley("fire", plan).output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("the first exposure") { try rig.capture(id).events.contains { $0.kind == .didCapturePhoto } }
        rig.kill9("node-2")
        try rig.wait("the capture to end") { try rig.capture(id).summary.state.isFinal }
        let capture = try rig.capture(id)
        #expect(capture.summary.state == state)
        #expect(capture.summary.reason?.contains("node-2") == true)
        let lost = capture.photos.filter { $0.node == "node-2" }
        #expect(lost.count == 60, "each missing photo has its row")
        #expect(lost.contains { $0.record.error?.code == .nodeUnreachable })
        #expect(capture.photos.filter { $0.node == "node-1" }.allSatisfy { $0.path != nil })

        try rig.startNode("node-2", seed: 2)
        try rig.awaitReady(2)
        let next = try rig.volley("fire", rig.write("burst.yaml", "bracket: {burst: 3}\n"), "--wait")
        #expect(next.status == 0, "\(next.errors)")
        // What the node had kept before it died comes in late, and the rest is accounted for by the node itself.
        try rig.wait("the node's own account") {
            try rig.capture(id).events.contains { $0.node == "node-2" && $0.kind == .didFinishCapture }
        }
        let revised = try rig.capture(id)
        let sequences = revised.events.filter { $0.node == "node-2" }.map(\.sequence).sorted()
        #expect(sequences == Array(1...182))
    }

    @Test("whose node is stopped in the middle of a capture has all of it: the node finishes its bracket first")
    func stoppedNode() throws {
        let rig = try rig(2)
        let plan = try rig.write("long.yaml", "bracket: {burst: 60}\npolicy: bestEffort\n")
        let id = try rig.volley("fire", plan).output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("the first exposure") { try rig.capture(id).events.contains { $0.kind == .didCapturePhoto } }
        #expect(rig.terminate("node-2") == 0)
        #expect(try rig.log("node-2").contains("finishes its part of capture \(id) before it stops"))
        try rig.wait("the capture to end") { try rig.capture(id).summary.state.isFinal }
        // Photos that it had no time to deliver come when it is back.
        try rig.startNode("node-2", seed: 2)
        try rig.awaitClean("node-1", "node-2")
        let capture = try rig.capture(id)
        #expect(capture.summary.state == .complete, "\(capture.summary)")
        let told = capture.events.filter { $0.node == "node-2" }
        #expect(told.map(\.sequence) == Array(1...182) && told.last?.kind == .didFinishCapture)
        #expect(told.last?.error == nil && capture.photos.allSatisfy { $0.path != nil })
    }

    @Test(
        "goes on with a capture when the coordinator was killed, or stopped, in the middle of it",
        arguments: [true, false])
    func endedCoordinator(isKilled: Bool) throws {
        let rig = try rig(2)
        let plan = try rig.write("long.yaml", "bracket: {burst: 40}\n")
        let id = try rig.volley("fire", plan).output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("the first photo") { try rig.capture(id).summary.storedPhotoCount > 0 }
        if isKilled { rig.kill9("coordinator") } else { #expect(rig.terminate("coordinator") == 0) }
        try rig.startCoordinator()
        try rig.wait("the capture to end") { try rig.capture(id).summary.state.isFinal }
        let capture = try rig.capture(id)
        #expect(capture.summary.state == .complete, "\(capture.summary.reason ?? "")")
        #expect(capture.photos.count == 80 && capture.photos.allSatisfy { $0.path != nil })
    }

    @Test("ends the connections of those whose keys are taken away, and takes what they owe if they come back")
    func turnedOut() throws {
        let rig = try rig(2)
        try rig.keygen("guest", into: "operators")
        try rig.start("watch", "volley", ["watch"], rig.operatorEnvironment("guest"))
        try rig.wait("the watch to begin") { try rig.log("watch").contains("Watching") }
        let plan = try rig.write("long.yaml", "bracket: {burst: 40}\npolicy: bestEffort\n")
        let id = try rig.volley("fire", plan).output.trimmingCharacters(in: .whitespacesAndNewlines)
        try rig.wait("the first photo") { try rig.capture(id).summary.storedPhotoCount > 0 }
        for key in ["nodes/node-2.pub", "operators/guest.pub"] {
            try FileManager.default.removeItem(atPath: rig.file(key))
        }
        try rig.wait("the node to be shut out") { try rig.log("node-2").contains("refused this node's key") }
        try rig.wait("the watch to be shut out") { try rig.log("watch").contains("refused this key") }
        #expect(try rig.log("coordinator").contains("node-2 was turned out"))
        try rig.wait("the rig to do without the node") { try !rig.volley("nodes").output.contains("node-2") }
        try FileManager.default.copyItem(atPath: rig.file("node-2.pub"), toPath: rig.file("nodes/node-2.pub"))
        try rig.awaitReady(2)
        try rig.wait("the capture to be whole") { try rig.capture(id).summary.state == .complete }
        try rig.awaitClean("node-1", "node-2")
    }

    @Test("refuses a second node with a key that is in use, and one whose key is not allowed")
    func impostors() throws {
        let rig = try rig(1)
        try FileManager.default.copyItem(atPath: rig.file("node-1.key"), toPath: rig.file("twin.key"))
        try FileManager.default.copyItem(atPath: rig.file("node-1.pub"), toPath: rig.file("twin.pub"))
        // The same key, whatever it calls itself.
        try rig.startNode("twin", seed: 5)
        try rig.wait("the twin to be told") {
            try rig.log("twin").contains("Another node with the key of 'node-1'")
        }
        #expect(rig.terminate("twin") == 0)
        // A key that is in no folder.
        try rig.startNode("stranger", seed: 6, isAllowed: false)
        try rig.wait("the stranger to be told") { try rig.log("stranger").contains("refused this node's key") }
        // Somebody does what it says.
        try FileManager.default.copyItem(atPath: rig.file("stranger.pub"), toPath: rig.file("nodes/stranger.pub"))
        try rig.awaitReady(2)
        #expect(rig.terminate("stranger") == 0)
        try FileManager.default.removeItem(atPath: rig.file("nodes/stranger.pub"))
        try rig.wait("the stranger to be retired") { try !rig.volley("nodes").output.contains("stranger") }
        #expect(try rig.volley("fire", rig.write("burst.yaml", "bracket: {burst: 2}\n"), "--wait").status == 0)
    }

    @Test("says what is wrong with a configuration, a key or a folder before it does anything")
    func configurations() throws {
        let rig = try LocalRig()
        func expect(_ program: String, _ text: String, _ status: Int32, _ words: String) throws {
            let result = try rig.program(program, ["--config", rig.write("x.yaml", text)])
            #expect(result.status == status, "\(result.errors)")
            #expect(result.errors.contains(words), "\(result.errors)")
        }
        let keys =
            "key: \(rig.file("coordinator.key"))\nnodes: \(rig.file("nodes"))\noperators: \(rig.file("operators"))\n"
        try expect("volley-coordinator", "port: abc\n" + keys, 78, "x.yaml:1:7: 'port' wants a whole number")
        try expect("volley-coordinator", "listen: 127.0.0.1:5670\n" + keys, 78, "'listen' wants an address alone")
        try expect("volley-coordinator", "prot: 1\n", 78, "x.yaml:1:1: 'prot' is not known")
        try expect("volley-coordinator", keys, 78, "'library' is missing")
        try expect("volley-coordinator", keys + "library: /sys/volley\n", 77, "/sys")
        let node = "name: n\ncoordinatorKey: \(rig.file("coordinator.pub"))\nspool: \(rig.file("s"))\n"
        try expect(
            "volley-node", node + "camera: film\nkey: \(rig.file("coordinator.key"))\n", 78,
            "x.yaml:4:9: 'camera' wants")
        try expect("volley-node", node + "camera: simulated:1\nkey: /nowhere\n", 78, "volley keygen")
        try expect("volley-node", "name: a/b\n", 78, "'name' wants 1 to 64 letters")
        let limited = try run(
            "/bin/sh",
            [
                "-c",
                "ulimit -n 90 && exec \(BuiltPrograms.folder.path)/volley-coordinator --config "
                    + (try rig.write("x.yaml", keys + "library: \(rig.library)\n")),
            ])
        #expect(
            limited.status == 78 && limited.errors.contains("needs 96 open files, but this process may have only 90"),
            "\(limited.errors)")
        _ = try run("/usr/bin/chmod", ["644", rig.file("coordinator.key")])
        try expect("volley-coordinator", keys + "library: \(rig.library)\n", 78, "chmod 600")
    }

    @Test("has its nodes say that no coordinator answers")
    func silence() throws {
        let rig = try rig(1)
        rig.kill9("coordinator")
        try rig.wait("the node to say so") { try rig.log("node-1").contains("No coordinator answers.") }
    }

    @Test("refuses a second coordinator with the same library, or with the same nodes")
    func secondCoordinator() throws {
        let rig = try rig(1)
        let (nodes, library) = (rig.file("other-nodes"), rig.file("other-library"))
        try FileManager.default.createDirectory(atPath: nodes, withIntermediateDirectories: false)
        for arguments in [["--nodes", nodes], ["--library", library]] {
            let second = try rig.program(
                "volley-coordinator", ["--config", rig.file("coordinator.yaml"), "--port", "0"] + arguments)
            #expect(second.status == 75, "\(second.errors)")
            #expect(second.errors.contains("another coordinator"), "\(second.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: library))
    }
}
