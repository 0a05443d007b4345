import CaptureModel
import RigClock
import RigProtocol
import Testing

@testable import RigRules

@Suite("A coordinator's numbers")
struct MetricsTests {
    private func value(_ name: String, _ labels: [String: String], in rig: Rehearsal) -> Double? {
        let family = rig.machine.metrics.first { $0.name == name }
        return family?.samples.first { $0.labels == labels }?.value
    }

    @Test("say of each node what is known, and nothing of what is not")
    func nodes() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        rig.take(.members(Members(active: ["a", "b", "ghost"], retired: [])))
        var camera = CameraCounts()
        (camera.frames, camera.missingFrames) = (900, 3)
        let board = BoardReport(uptimeSeconds: 30, temperature: 55.5, isThrottled: false, camera: camera)
        let clock = ClockReport(
            estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 50_000))
        try rig.from("a", .heartbeat(Heartbeat(clock: clock, spoolFreeBytes: 1 << 40, keepsCount: 2, board: board)))
        #expect(value("volley_nodes", ["state": "ready"], in: rig) == 2)
        #expect(value("volley_nodes", ["state": "unreachable"], in: rig) == 1)
        let expected: [(String, Double?)] = [
            ("up", 1), ("silence_seconds", 0), ("clock_synchronized", 1), ("clock_bound_seconds", 5e-5),
            ("phase_seconds", nil), ("spool_free_bytes", 0x1p40), ("spool_captures", 2), ("uptime_seconds", 30),
            ("temperature_celsius", 55.5), ("throttled", 0), ("undervolted", nil), ("frames_total", 900),
            ("frames_missing_total", 3),
        ]
        for (name, number) in expected {
            #expect(value("volley_node_\(name)", ["node": "a"], in: rig) == number, "\(name)")
        }
        #expect(value("volley_node_up", ["node": "ghost"], in: rig) == 0)
        #expect(value("volley_node_frames_total", ["node": "b"], in: rig) == nil, "a release that does not say")
        rig.take(.members(Members(active: ["b", "ghost"], retired: ["a"])))
        #expect(value("volley_node_up", ["node": "a"], in: rig) == nil, "nobody is to be woken up for it")
    }

    @Test("leave out what cannot be true")
    func implausible() throws {
        var rig = Rehearsal()
        try rig.join("a")
        for board in [
            BoardReport(uptimeSeconds: -1), BoardReport(uptimeSeconds: .max),
            BoardReport(uptimeSeconds: 1, light: String(repeating: "x", count: 65)),
            BoardReport(uptimeSeconds: 1, light: "\u{1B}[2J"), BoardReport(uptimeSeconds: 1, temperature: 4000),
        ] {
            try rig.from("a", .heartbeat(Heartbeat(board: board)))
            #expect(value("volley_node_uptime_seconds", ["node": "a"], in: rig) == nil)
        }
    }

    @Test("of a node that is away are only that it is, and how long it has been")
    func away() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let board = BoardReport(uptimeSeconds: 30, temperature: 90)
        try rig.from("a", .heartbeat(Heartbeat(spoolFreeBytes: 7, board: board)))
        #expect(value("volley_node_temperature_celsius", ["node": "a"], in: rig) == 90)
        try rig.from("a", .goodbye(Goodbye()))
        #expect(value("volley_node_temperature_celsius", ["node": "a"], in: rig) == nil, "it may be cold by now")
        #expect(value("volley_node_spool_free_bytes", ["node": "a"], in: rig) == nil)
        #expect(value("volley_node_up", ["node": "a"], in: rig) == 0)
        #expect(value("volley_node_silence_seconds", ["node": "a"], in: rig) == 0)
    }

    @Test("count each end of a capture once, and its correction")
    func ends() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        _ = try rig.fire(.bestEffort).get()
        for node in ["a", "b"] as [NodeName] { try rig.from(node, .goodbye(Goodbye())) }
        let ended = rig.machine.tally.ends
        #expect(ended.values.reduce(0, +) == 1, "\(ended)")
        #expect(value("volley_captures_ended_total", ["state": "failed"], in: rig) == Double(ended[.failed] ?? 0))
        #expect(value("volley_captures_ended_total", ["state": "complete"], in: rig) == 0)
    }
}
