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

    @Test("ends the part whose last photo lay in the library at the next start, while another part is still owed")
    func adopted() throws {
        let id = UniqueID(rawValue: 1_800_000_000_000_000)
        let summary = CaptureSummary(
            uniqueID: id, state: .collecting, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: UTCTime(rawValue: id.rawValue), nodeCount: 2, expectedPhotoCount: 2, storedPhotoCount: 1)
        let step = ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil)
        let record = PhotoRecord(photoCount: 1, sequenceCount: 1, format: .jpeg, requested: step)
        let kinds: [CaptureEventKind] = [
            .willBeginCapture, .willCapturePhoto, .didCapturePhoto, .didFinishProcessingPhoto, .didFinishCapture,
        ]
        let events = kinds.enumerated().map { index, kind in
            NodeEvent(
                node: "a", sequence: index + 1, kind: kind, rigTime: nil, sequenceCount: 1,
                photoCount: kind == .didFinishProcessingPhoto ? 1 : nil, error: nil)
        }
        let detail = CaptureDetail(
            summary: summary, policy: "all", fireRigTime: RigTime(nanoseconds: 1),
            nodes: (["a", "b"] as [NodeName]).map {
                CaptureNodeDetail(node: $0, state: .collecting, reason: nil, expectedPhotoCount: 1)
            }, photos: [StoredPhoto(node: "a", record: record, path: "p.jpg")], events: events, spreads: [])
        var rig = Rehearsal()
        let plan = Plan(name: "p", bracket: try .burst(1))
        rig.take(.loaded(id, LoadedCapture(detail: detail, plan: plan, phases: ["a": .owing, "b": .owing])))
        let ended = rig.changes.compactMap { change -> NodeName? in
            if case .captureNodeState(id, let node, _, .complete, _) = change { node } else { nil }
        }
        #expect(ended == ["a"] && rig.state(id) == nil)
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
