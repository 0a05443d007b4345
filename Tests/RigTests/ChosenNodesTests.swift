import CaptureModel
import Foundation
import RigProtocol
import TestSupport
import Testing

@Suite("A rig of which some nodes are chosen", .rigTimeLimit)
struct ChosenNodesTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator(settings: "groups:\n  top: [top-*]\n  side: {nodes: [side-?], offset: 50ms}\n")
        for (seed, name) in ["top-1", "top-2", "side-1"].enumerated() { try rig.startNode(name, seed: seed) }
        try rig.awaitReady(3)
    }

    private func nodes(_ capture: CaptureDetail) -> [String] { capture.nodes.map(\.node.rawValue).sorted() }

    private func fire(_ arguments: String...) throws -> CaptureDetail {
        let fired = try rig.volley(["fire", "--wait"] + arguments)
        try #require(fired.status == 0, "\(arguments): \(fired.errors)")
        return try rig.capture(fired.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    @Test("fires those alone, by pattern, by group, and as a plan says")
    func chosen() throws {
        #expect(try nodes(fire("--single", "--nodes", "top-*")) == ["top-1", "top-2"])
        #expect(try nodes(fire("--single", "--nodes", "top-1,side-1")) == ["side-1", "top-1"])
        let side = try fire("--single", "--group", "side")
        #expect(nodes(side) == ["side-1"] && side.nodes.first?.offset == 50_000_000)
        let plan = try rig.write("some.yaml", "bracket: {burst: 1}\nnodes: [top-2]\ngroups: [side]\n")
        #expect(try nodes(fire(plan)) == ["side-1", "top-2"])
        #expect(try nodes(fire("--like", "last")) == ["side-1", "top-2"])
        #expect(try nodes(fire("--like", "last", "--nodes", "*")) == ["side-1", "top-1", "top-2"])
        let wrong = try rig.volley("fire", "--single", "--nodes", "tpo-*")
        #expect(wrong.status == 65 && wrong.errors.contains("side-1, top-1, top-2"), "\(wrong.errors)")
        let stranger = try rig.volley("check", "--single", "--group", "ring")
        #expect(stranger.status == 65 && stranger.errors.contains("top, side"), "\(stranger.errors)")
        let listed = try rig.volley("nodes")
        #expect(listed.errors.contains("Group top: top-1, top-2."), "\(listed.errors)")
    }

    @Test("has two captures under way at once, and one that waits for the node that it shares")
    func overlapping() throws {
        // Their nodes are busy for as long as it takes to ask for the others.
        let long = ["fire", try rig.write("long.yaml", "bracket: {burst: 60}\nlead: 8s\n")]
        let top = try rig.volley(long + ["--nodes", "top-*"])
        let side = try rig.volley(long + ["--nodes", "side-1"])
        let both = try rig.volley("fire", "--single", "--nodes", "top-1,side-1", "--queue", "--wait")
        let ids = [top, side, both].map { $0.output.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(both.status == 0 && both.errors.contains("It waits for capture \(ids[0])"), "\(both.errors)")
        for id in ids.prefix(2) {
            try rig.wait("capture \(id)") { try rig.capture(id).summary.state == .complete }
        }
        let captures = try ids.map(rig.capture)
        func began(_ capture: CaptureDetail) -> Int64 {
            capture.photos.compactMap { $0.record.exposureStartRigTime?.nanoseconds }.min() ?? 0
        }
        func ended(_ capture: CaptureDetail) -> Int64 {
            capture.photos.compactMap { $0.record.exposureStartRigTime?.nanoseconds }.max() ?? 0
        }
        #expect(began(captures[1]) < ended(captures[0]), "they were under way at once")
        #expect(began(captures[2]) > ended(captures[0]) && began(captures[2]) > ended(captures[1]))
    }

    @Test("says at its start that a series is too quick, leaves out or slows down, and sums up")
    func series() throws {
        let quick = ["fire", "--burst", "60", "--nodes", "side-1", "--every", "1s", "--count", "3"]
        let skipped = try rig.volley(quick)
        #expect(skipped.status == 2 && skipped.errors.contains("too short"), "\(skipped.errors)")
        #expect(skipped.errors.contains("refused;") && skipped.errors.contains("3 captures: "), "\(skipped.errors)")
        let slowed = try rig.volley(quick + ["--late", "wait"])
        #expect(slowed.status == 0 && slowed.errors.contains("3 captures: 3 complete;"), "\(slowed.errors)")
        let name = try #require(slowed.errors.firstMatch(of: #/--label (series=\S+)/#)?.1)
        #expect(try rig.volley("photos", "--label", String(name)).output.split(separator: "\n").count == 180)
    }
}
