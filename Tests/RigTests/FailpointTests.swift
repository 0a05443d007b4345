import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A program that is killed at a step of a capture", .rigTimeLimit)
struct FailpointTests {
    private enum Victim: String { case coordinator, node = "node-1" }

    @Test(
        "a node loses no photo that it kept, and says what became of the others",
        arguments: [
            "fileWritten:2", "fileSynced:2", "fileRenamed:3", "capturePrepared", "captureFired", "photoKept:1",
            "eventKept:4", "eventSent:6", "chunkSent:2", "photoReclaimed:1", "captureReclaimed",
        ])
    func node(step: String) throws {
        let rig = try killed(.node, at: step)
        try rig.startNode("node-1", seed: 1)
        for id in try settled(rig) { try check(try rig.capture(id)) }
    }

    @Test(
        "a coordinator brings every capture that it accepted to its end, whole",
        arguments: [
            "reconciled", "fileWritten:2", "fileSynced:2", "fileRenamed:3", "captureCommitted", "captureAccepted",
            "changesCommitted:4", "chunkWritten:1", "photoPublished:1", "captureArchived:1",
        ])
    func coordinator(step: String) throws {
        let rig = try killed(.coordinator, at: step)
        try rig.startCoordinator()
        for id in try settled(rig) {
            let capture = try rig.capture(id)
            try check(capture)
            // What was under way when it died was fired, or it was not.
            let isWhole = capture.photos.count == 4 && capture.photos.allSatisfy { $0.path != nil }
            #expect(isWhole || capture.events.isEmpty, "\(capture.summary)")
        }
    }

    /// A rig of two nodes in the middle of a capture, with one program dead.
    private func killed(_ victim: Victim, at step: String) throws -> LocalRig {
        let rig = try LocalRig()
        func environment(_ program: Victim) -> [String: String] {
            program == victim ? ["VOLLEY_FAILPOINT": step] : [:]
        }
        try rig.startCoordinator(environment: environment(.coordinator))
        try rig.startNode("node-1", seed: 1, environment: environment(.node))
        try rig.startNode("node-2", seed: 2)
        try rig.wait("both nodes, or the end of one program") {
            try !rig.isRunning(victim.rawValue) || rig.isReady(2)
        }
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\nlead: 300 ms\n")
        try rig.wait("\(victim.rawValue) to die at \(step)") {
            guard rig.isRunning(victim.rawValue) else { return true }
            // A busy machine does in one step what another does in two: then it is the next capture that it dies in.
            if !rig.isRunning("operator") {
                try rig.start("operator", "volley", ["fire", plan, "--wait"], rig.operatorEnvironment())
            }
            return false
        }
        #expect(rig.wasKilled(victim.rawValue), "it died of something else")
        rig.kill9(victim.rawValue)
        return rig
    }

    /// All is back: everything ends, the nodes keep nothing, the library is clean, and the rig fires again.
    ///
    /// - Returns: all captures.
    private func settled(_ rig: LocalRig) throws -> [String] {
        try rig.awaitReady(2)
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\n")
        try rig.wait("a new capture") { try rig.volley("fire", plan, "--wait").status == 0 }
        var ids: [String] = []
        try rig.wait("all captures to end") {
            let listed = try rig.volley("captures", "--json")
            let captures = try [CaptureSummary](documents: Data(listed.output.utf8))
            ids = captures.map { "\($0.uniqueID)" }
            return captures.allSatisfy(\.state.isFinal)
        }
        try rig.awaitClean("node-1", "node-2")
        return ids
    }

    /// Every debt is paid: events without a gap, from the first to the last, and each photo there or with its error.
    private func check(_ capture: CaptureDetail) throws {
        for node in capture.nodes {
            let events = capture.events.filter { $0.node == node.node }
            #expect(events.map(\.sequence) == Array(1..<events.count + 1))
            guard !events.isEmpty else { continue }
            #expect(events.last?.kind == .didFinishCapture)
            let photos = capture.photos.filter { $0.node == node.node }
            #expect(photos.count == node.expectedPhotoCount)
            #expect(photos.allSatisfy { ($0.path == nil) == ($0.record.error != nil) })
        }
    }
}
