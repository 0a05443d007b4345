import CaptureModel
import Foundation
import RigClock
import RigProtocol
import Testing

@testable import volley

/// What a person reads, as it was looked at; VOLLEY_WRITE_TEXTS=1 writes it anew, for somebody to look at again.
@Suite("What a person reads of a rig")
struct TextTests {
    static let sizes = [(1, 80), (1, 120), (4, 80), (4, 120), (60, 80), (60, 120)]

    init() {
        setenv("TZ", "UTC", 1)
        tzset()
    }

    private func compare(_ text: String, _ name: String, _ size: (nodes: Int, width: Int)) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Texts/\(name)-\(size.nodes)-\(size.width).txt")
        if ProcessInfo.processInfo.environment["VOLLEY_WRITE_TEXTS"] == "1" {
            try (text + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let wanted = try String(contentsOf: file, encoding: .utf8)
        #expect(text + "\n" == wanted)
        for line in text.split(separator: "\n") { #expect(line.count <= size.width, "\(line)") }
    }

    @Test("nodes", arguments: sizes)
    func nodes(count: Int, width: Int) throws {
        try compare(NodeList(nodes: PlannedRig(count).summaries, width: width).text, "nodes", (count, width))
    }

    @Test("captures", arguments: sizes)
    func captures(count: Int, width: Int) throws {
        let captures = [CaptureState.complete, .partial, .failed].map { PlannedRig(count).capture($0).summary }
        try compare(CaptureList(captures: captures, width: width).text, "captures", (count, width))
    }

    @Test("show", arguments: sizes)
    func show(count: Int, width: Int) throws {
        let capture = PlannedRig(count).capture(.partial)
        try compare(CaptureReport(capture: capture, width: width).text, "show", (count, width))
    }

    @Test("watch", arguments: sizes)
    func watch(count: Int, width: Int) throws {
        let rig = PlannedRig(count)
        var digest = NewsDigest()
        let lines = rig.notices.flatMap { notice in
            if let id = digest.unknownCapture(in: notice) { digest.learn(id, rig.capture(.firing)) }
            return digest.lines(notice)
        }
        try compare(lines.joined(separator: "\n"), "watch", (count, width))
    }
}

/// A rig of which the last node loses its camera.
struct PlannedRig {
    private static let id = UniqueID(rawValue: 1_795_690_988_128_384)
    private static let steps = 3
    let names: [NodeName]

    init(_ count: Int) {
        names = (1...count).map { number in
            guard let name = NodeName("cam-\(number)") else { preconditionFailure("it is a name") }
            return name
        }
    }

    private var camera: CameraCapabilities {
        CameraCapabilities(
            cameraID: "v4l2:/dev/video0", modelID: "Great Camera", manufacturer: "v", serialNumber: "1",
            pixelFormat: "MJPG", dimensions: Dimensions(width: 4096, height: 3000),
            frameDurationNanoseconds: 33_000_000, formats: [.jpeg], maxBracketedCapturePhotoCount: 8)
    }

    var summaries: [NodeSummary] {
        names.map { name in
            let isLost = name == names.last
            let clock = ClockReport(
                estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 56_000))
            return NodeSummary(
                name: name, state: isLost ? .cameraMissing : .ready, capabilities: isLost ? nil : camera, clock: clock,
                lastSeen: nil, problem: isLost ? "v4l2:/dev/video0 was unplugged; plug it in again." : nil)
        }
    }

    func capture(_ state: CaptureState) -> CaptureDetail {
        let stored = state == .complete ? names.count : names.count - 1
        let summary = CaptureSummary(
            uniqueID: Self.id, state: state, reason: state == .complete ? nil : "1 node lost its camera.",
            planName: "hdr-3", session: "monday", firedBy: "anna", labels: [:],
            createdAt: UTCTime(rawValue: Self.id.rawValue), nodeCount: names.count,
            expectedPhotoCount: names.count * Self.steps, storedPhotoCount: stored * Self.steps)
        let nodes = names.map { name in
            let isLost = name == names.last && state != .complete
            var node = CaptureNodeDetail(
                node: name, state: isLost ? .failed : .complete, reason: isLost ? "The camera was unplugged." : nil,
                expectedPhotoCount: Self.steps)
            node.camera = CameraUsed(camera, software: nil)
            return node
        }
        let spreads = (1...Self.steps).map {
            StepSpread(
                sequenceCount: $0, nodeCount: names.count, spreadNanoseconds: 26_000, uncertaintyNanoseconds: 269_000)
        }
        return CaptureDetail(
            summary: summary, policy: "bestEffort", fireRigTime: nil, nodes: nodes, photos: photos(state),
            events: [], spreads: names.count > 1 ? spreads : [])
    }

    private func photos(_ state: CaptureState) -> [StoredPhoto] {
        names.flatMap { name in
            (1...Self.steps).map { step in
                let exposure = ResolvedExposure(
                    sequenceCount: step, exposureTargetBias: Double(2 * step - 4),
                    duration: ExposureDuration(nanoseconds: 2_000_000 << step), iso: 100)
                var record = PhotoRecord(
                    photoCount: step, sequenceCount: step, format: .jpeg, requested: exposure)
                record.verification = .verified
                let isLost = name == names.last && state != .complete
                if isLost { record.error = CaptureError(.deviceWasDisconnected, "The camera was unplugged.") }
                return StoredPhoto(node: name, record: record, path: isLost ? nil : "photos/\(name)-\(step).jpg")
            }
        }
    }

    var notices: [Notice] {
        func capture(_ state: CaptureState, _ stored: Int, _ reason: String? = nil) -> Notice {
            .capture(
                CaptureNotice(
                    number: 1, previous: 0, uniqueID: Self.id, state: state, reason: reason, storedPhotoCount: stored,
                    expectedPhotoCount: names.count * Self.steps))
        }
        let exposed = (1...Self.steps).flatMap { step in
            names.compactMap { name -> Notice? in
                guard name != names.last || step == 1 else { return nil }
                var event = CaptureEvent(
                    uniqueID: Self.id, sequence: step, kind: .didCapturePhoto, time: MonotonicTime(nanoseconds: 0))
                event.sequenceCount = step
                return .event(EventNotice(number: 1, previous: 0, node: name, event: event))
            }
        }
        var lost = CaptureEvent(
            uniqueID: Self.id, sequence: 9, kind: .didFinishCapture, time: MonotonicTime(nanoseconds: 0))
        lost.error = CaptureError(.deviceWasDisconnected, "The camera was unplugged.")
        let end: [Notice] =
            names.last.map { [.event(EventNotice(number: 1, previous: 0, node: $0, event: lost))] } ?? []
        return [capture(.firing, 0)] + exposed + [capture(.collecting, 0)] + end
            + [capture(.partial, (names.count - 1) * Self.steps, "1 node lost its camera.")]
    }
}
