import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("What a former run left")
struct FormerRunTests {
    @Test("ends a capture whose last part had ended when the former run died")
    func lastPart() async throws {
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let summary = CaptureSummary(
            uniqueID: id, state: .preparing, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: id.rawValue), nodeCount: 1, expectedPhotoCount: 2, storedPhotoCount: 0)
        let node = CaptureNodeDetail(
            node: "a", state: .failed, reason: "It did not answer within 10 s.", expectedPhotoCount: 2)
        let detail = CaptureDetail(
            summary: summary, policy: "all", fireRigTime: nil, nodes: [node], photos: [], events: [], spreads: [])
        var rig = Rehearsal()
        let error = CaptureError(.stalled, "It did not answer within 10 s.")
        let plan = Plan(name: "p", bracket: try .burst(2))
        rig.take(.loaded(id, LoadedCapture(detail: detail, plan: plan, phases: ["a": .out(error)])))
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.state(id)?.reason?.contains("It did not answer within 10 s.") == true)
    }

    @Test(
        "says of a capture that waited for its time that the coordinator was started anew", arguments: [true, false])
    func appointment(nodeComesFirst: Bool) throws {
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let summary = CaptureSummary(
            uniqueID: id, state: .preparing, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: id.rawValue), nodeCount: 1, expectedPhotoCount: 2, storedPhotoCount: 0)
        let detail = CaptureDetail(
            summary: summary, policy: "all", fireRigTime: nil,
            nodes: [CaptureNodeDetail(node: "a", state: .preparing, reason: nil, expectedPhotoCount: 2)], photos: [],
            events: [], spreads: [])
        var rig = Rehearsal()
        if nodeComesFirst { try rig.join("a", "b") }
        rig.take(
            .loaded(
                id,
                LoadedCapture(detail: detail, plan: Plan(name: "p", bracket: try .burst(2)), phases: ["a": .preparing]))
        )
        if !nodeComesFirst { try rig.join("a", "b") }
        // A node that had another name then.
        try rig.event("b", id, 1, .willBeginCapture)
        #expect(rig.reports.last?.contains("Node b has events of capture \(id), in which no node of that name") == true)
        for _ in 0..<16 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.state(id)?.reason?.contains("restarted before the capture was fired") == true)
    }

    @Test("settles at once what a node that comes back remembers nothing of")
    func forgotten() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.from("a", .goodbye(Goodbye()))
        #expect(rig.state(id)?.state == .failed)
        var other = Rehearsal()
        try other.join("a")
        let next = try other.fire(.all).get()
        try other.prepared("a", next)
        other.now = other.now + RigMachine.liveness + 1
        try other.from(
            "a",
            .hello(
                Hello(
                    node: "a", instance: "new", capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0))))
        #expect(other.state(next)?.state == .failed)
        #expect(other.state(next)?.reason?.contains("without anything") == true)
    }
}
