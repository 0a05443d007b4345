import CaptureModel
import RigProtocol
import Testing

@testable import volley

@Suite("What a person is told who watches a rig")
struct NewsDigestTests {
    private static let id = UniqueID(rawValue: 1_800_000_000_000_000)
    private var digest = NewsDigest()
    private var told: [String] = []

    private static let camera = CameraUsed(
        CameraCapabilities(
            cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
            dimensions: Dimensions(width: 4, height: 4), frameDurationNanoseconds: 1, formats: [.jpeg],
            maxBracketedCapturePhotoCount: 8), software: nil)

    private static func detail(_ state: CaptureState = .firing) -> CaptureDetail {
        let summary = CaptureSummary(
            uniqueID: id, state: state, reason: nil, planName: "p", session: nil, firedBy: nil, labels: [:],
            createdAt: 0, nodeCount: 3, expectedPhotoCount: 4, storedPhotoCount: 0)
        let nodes = (["a", "b", "away"] as [NodeName]).map { name in
            var node = CaptureNodeDetail(node: name, state: state, reason: nil, expectedPhotoCount: 2)
            node.camera = name == "away" ? nil : camera
            return node
        }
        return CaptureDetail(
            summary: summary, policy: "all", fireRigTime: nil, nodes: nodes, photos: [], events: [], spreads: [])
    }

    private mutating func take(_ notice: Notice, state: CaptureState = .firing) {
        if digest.unknownCapture(in: notice) != nil { digest.learn(Self.id, Self.detail(state)) }
        told += digest.lines(notice).map { $0.replacing("\(Self.id)", with: "ID") }
    }

    private mutating func event(
        _ node: NodeName, _ kind: CaptureEventKind, step: Int? = nil, error: CaptureError? = nil,
        state: CaptureState = .firing
    ) {
        var event = CaptureEvent(uniqueID: Self.id, sequence: 1, kind: kind, time: MonotonicTime(nanoseconds: 0))
        (event.sequenceCount, event.error) = (step, error)
        take(.event(EventNotice(number: 1, previous: 0, node: node, event: event)), state: state)
    }

    private mutating func capture(_ state: CaptureState, stored: Int = 0, reason: String? = nil) {
        take(
            .capture(
                CaptureNotice(
                    number: 1, previous: 0, uniqueID: Self.id, state: state, reason: reason,
                    storedPhotoCount: stored, expectedPhotoCount: 4)))
    }

    @Test("is a line a step, and a line for each change of a capture")
    func whole() {
        var test = self
        test.capture(.firing)
        for node in ["a", "b"] as [NodeName] {
            test.event(node, .willBeginCapture)
            for step in 1...2 { test.event(node, .didCapturePhoto, step: step) }
        }
        test.event("a", .didCapturePhoto, step: 1)
        for stored in 0...3 { test.capture(.collecting, stored: stored) }
        test.event("a", .didFinishCapture)
        test.capture(.complete, stored: 4)
        #expect(
            test.told == [
                "ID  firing  0 of 4 photos", "ID  step 1 exposed on 2 nodes", "ID  step 2 exposed on 2 nodes",
                "ID  collecting  0 of 4 photos", "ID  complete  4 of 4 photos",
            ])
    }

    @Test("names who did not expose, and what went wrong")
    func partial() {
        var test = self
        test.capture(.firing)
        test.event("a", .didCapturePhoto, step: 1)
        test.capture(.firing, stored: 1)
        test.event("b", .didFinishCapture, error: CaptureError(.stalled, "no frame came"))
        test.capture(.partial, stored: 2, reason: "photos are missing")
        #expect(
            test.told == [
                "ID  firing  0 of 4 photos", "ID  b: no frame came", "ID  step 1 exposed on 1 of 2 nodes, not on b",
                "ID  partial  2 of 4 photos: photos are missing",
            ])
    }

    @Test("is the same when it is told later, as after an outage")
    func replay() {
        var test = self
        test.capture(.preparing)
        test.capture(.preparing, reason: "It is armed.")
        test.capture(.firing)
        // By now it is known to have failed.
        for node in ["a", "b"] as [NodeName] { test.event(node, .didCapturePhoto, step: 1, state: .failed) }
        test.capture(.failed, stored: 1, reason: "the disk is full")
        #expect(
            test.told == [
                "ID  preparing  0 of 4 photos", "ID  preparing  0 of 4 photos: It is armed.",
                "ID  firing  0 of 4 photos", "ID  step 1 exposed on 2 nodes",
                "ID  failed  1 of 4 photos: the disk is full",
            ])
    }

    @Test("is no step of a capture whose beginning nobody saw")
    func late() {
        var test = self
        test.event("a", .didCapturePhoto, step: 2)
        test.capture(.firing, stored: 1)
        test.event("b", .didCapturePhoto, step: 2)
        test.capture(.complete, stored: 4)
        #expect(test.told == ["ID  firing  1 of 4 photos", "ID  complete  4 of 4 photos"])
    }
}
