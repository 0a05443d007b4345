import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("A node, or an operator, that says what cannot be")
struct HostileNodeTests {
    private func refusal(_ result: Result<UniqueID, Refusal>) -> Refusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }

    @Test("holds no capture up with an event of what was not fired")
    func earlyEvent() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.bestEffort).get()
        try rig.prepared("b", id)
        let before = rig.changes.count
        try rig.event("a", id, 1, .willBeginCapture)
        #expect(rig.changes.count == before && rig.reports.last?.contains("not been fired") == true)
        for _ in 0...10 {
            rig.now = rig.now + .seconds(1)
            for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
            rig.take(.tick)
        }
        #expect(rig.fires().count == 1, "the other one, when its time to answer is over")
    }

    @Test("is out of a capture that it would put off, and the others fire")
    func lead() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.bestEffort).get()
        try rig.prepared("b", id)
        try rig.prepared("a", id, lead: 3_575_000)
        #expect(rig.fires().count == 1)
        let patient = try rig.fire(.bestEffort, request: "patient") { $0.lead = .seconds(60) }.get()
        try rig.prepared("a", patient, lead: 50_000)
        #expect(rig.fires().last?.uniqueID == patient, "the plan waits for as long")
    }

    @Test("is out of a capture where it takes an hour for an exposure")
    func steps() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.bestEffort).get()
        try rig.prepared("b", id)
        try rig.prepared("a", id, steps: [33, 3_600_000])
        #expect(rig.fires().first?.stepOffsets == [0, 33_000_000])
        #expect(rig.fires().count == 1)
    }

    @Test(
        "has no camera where it tells of one that cannot be",
        arguments: [(1 << 16, 33_000_000), (64, 3_600_000_000_000)])
    func oddCamera(_ width: Int, _ frameDuration: Int64) throws {
        var rig = Rehearsal()
        let odd = CameraCapabilities(
            cameraID: "odd", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
            dimensions: Dimensions(width: width, height: width), frameDurationNanoseconds: frameDuration,
            formats: [.jpeg], maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
        try rig.join("a", camera: odd)
        #expect(refusal(try rig.fire(.all))?.says("are impossible") == true)
    }

    @Test("moves no ids ahead by more than minutes")
    func ids() throws {
        var rig = Rehearsal()
        func hello(ahead seconds: Int64) throws -> Hello {
            Hello(
                node: "a", instance: "i", capabilities: camera, cameraError: nil,
                lastUniqueID: UniqueID(rawValue: (rig.wallClock + .seconds(seconds)).rawValue))
        }
        try rig.join("a")
        try rig.from("a", .hello(hello(ahead: 300)))
        let believed = try rig.fire(.all).get()
        #expect(
            believed.rawValue == (rig.wallClock + .seconds(300)).rawValue + 1,
            "a copy of the catalogue may be older than that")
        try rig.from("a", .hello(hello(ahead: 86_000)))
        rig.take(.cancelRequested(rig.caller, believed))
        let next = try rig.fire(.all, request: "next").get()
        #expect(next.rawValue < (rig.wallClock + .seconds(400)).rawValue)
    }

    @Test("sends no photo that its camera cannot make")
    func photos() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        let before = rig.changes.count
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1) { event in
            event.photo?.file = PhotoFile(
                byteCount: 200_000_000, sha256: String(repeating: "a", count: 64), dimensions: camera.dimensions,
                imageUniqueID: "x")
        }
        #expect(rig.changes.count == before)
        // For a number that is only printed no photo is given up.
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1) { $0.photo?.applied = Exposure(iso: 1e300) }
        #expect(rig.changes.count > before)
    }

    @Test(
        "is refused texts that others would see as commands, or cut short",
        arguments: ["a\u{0}b", "\u{1B}[2J", "two\nlines", "\u{202E}", String(repeating: "x", count: 900_000)])
    func texts(_ text: String) throws {
        var rig = Rehearsal()
        try rig.join("a")
        let plan = Plan(name: "p", bracket: try .burst(1))
        var named = plan
        named.name = text
        for request in [
            FireRequest(requestID: text, plan: plan, session: nil, labels: [:]),
            FireRequest(requestID: "1", plan: plan, session: text, labels: [:]),
            FireRequest(requestID: "2", plan: plan, session: nil, labels: [text: "v"]),
            FireRequest(requestID: "3", plan: plan, session: nil, labels: ["k": text]),
            FireRequest(requestID: "4", plan: named, session: nil, labels: [:]),
        ] {
            rig.replies = []
            rig.take(.fireRequested(rig.caller, request, freeBytes: 1 << 40))
            guard case .refused(let refusal) = try #require(rig.replies.first) else {
                Issue.record("taken: \(request.requestID.prefix(20))")
                continue
            }
            #expect(refusal.code == .invalid)
        }
        #expect(rig.changes.allSatisfy { if case .capture = $0 { false } else { true } })
    }
}
