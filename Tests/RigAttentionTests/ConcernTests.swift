import CaptureModel
import RigProtocol
import Testing

@testable import RigAttention

@Suite("What needs attention")
struct ConcernTests {
    private func node(_ name: NodeName, _ state: NodeSummary.State, _ problem: String? = nil) -> NodeSummary {
        NodeSummary(
            name: name, state: state, capabilities: nil, clock: nil, lastSeen: nil, problem: problem, software: "1")
    }

    private func family(_ name: String, _ values: [String: Double]) -> MetricFamily {
        var family = MetricFamily.gauge("volley_\(name)", "")
        for (node, value) in values { family.add(value, node.isEmpty ? [:] : ["node": node]) }
        return family
    }

    private let status = StatusReply(eventsPort: 1, library: "/library", news: 0, software: "1")

    @Test("is nothing where all is well")
    func well() {
        let families = [family("library_free_bytes", ["": 1e12]), family("node_temperature_celsius", ["north": 40])]
        #expect(Outlook(status, [node("north", .ready), node("south", .retired)], families).concerns.isEmpty)
    }

    @Test("is said of each node, and of the library")
    func wrong() {
        var status = status
        status.verdict = LibraryVerdict(
            checkedAt: UTCTime(rawValue: 1_769_000_000_000_000), captureCount: 9, expectedPhotoCount: 90,
            storedPhotoCount: 88, lostPhotoCount: 2, problemCount: 2, problems: ["a photo is gone", "another is gone"])
        var other = node("west", .ready)
        other.software = "2"
        let concerns = Outlook(
            status, [node("north", .cameraMissing, "Node north has no camera."), node("south", .unreachable), other],
            [
                family("library_free_bytes", ["": 19e9]),
                family("node_throttled", ["west": 1, "north": 1, "south": 0]),
                family("node_spool_free_bytes", ["north": 0.9e9]),
            ]
        ).concerns
        #expect(
            Concern.sentences(concerns) == [
                "Node north has no camera.", "Node south is unreachable.", "The library's disk is nearly full.",
                "`volley verify` found 2 problems in the library on 2026-01-21 at 12:53:20 UTC: a photo is gone",
                "The spool is nearly full: north.", "The board is throttled: north, west.",
                "Not of the coordinator's release: west.",
            ])
        #expect(concerns.count == 8)
    }
}
