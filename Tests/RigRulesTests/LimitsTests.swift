import CaptureModel
import RigClock
import RigProtocol
import Testing

@testable import RigRules

/// The bounds of the page about the wire, each at its end and beyond it; those of sockets, of messages that wait and of
/// joining are tested where they stand.
@Suite("What peers may ask for ends at a bound")
struct LimitsTests {
    private func text(_ count: Int) -> String { String(repeating: "é", count: count) }

    /// Whether a request to fire with this change is considered.
    private func isTaken(_ change: (inout FireRequest) -> Void) throws -> Bool {
        var request = FireRequest(
            requestID: "r", plan: Plan(name: "p", bracket: try .burst(1)), session: nil, labels: [:])
        change(&request)
        return request.refusal(1_800_000_000_000_000) == nil
    }

    @Test("in names, sessions, labels and ids of 200 characters, 64 labels, 1,000 offsets, nodes and groups, and 60 s")
    func requests() throws {
        let changes: [(String, Int, (inout FireRequest, Int) -> Void)] = [
            ("name", 200, { $0.plan.name = text($1) }), ("session", 200, { $0.session = text($1) }),
            ("id", 200, { $0.requestID = text($1) }), ("label", 200, { $0.labels = ["k": text($1)] }),
            ("key", 200, { $0.labels = [text($1): "v"] }),
            ("labels", 64, { $0.labels = Dictionary(uniqueKeysWithValues: (0..<$1).map { ("\($0)", "v") }) }),
            (
                "offsets", 1000,
                { $0.plan.offsets = (0..<$1).map { FiringOffset(nodes: "n\($0)", nanoseconds: 0) } }
            ),
            ("nodes", 1000, { $0.plan.nodes = (0..<$1).map { "n\($0)" } }),
            ("groups", 1000, { $0.plan.groups = (0..<$1).map { "g\($0)" } }),
            ("group", 200, { $0.plan.groups = [text($1)] }),
            ("lead", 60_000_000_000, { $0.plan.lead = Int64($1) }),
            ("spread", 60_000_000_000, { $0.plan.maxSpread = Int64($1) }),
            (
                "offset", 60_000_000_000,
                { $0.plan.offsets = [FiringOffset(nodes: "a", nanoseconds: Int64($1))] }
            ),
        ]
        for (what, most, change) in changes {
            #expect(try isTaken { change(&$0, most) }, "\(what)")
            #expect(try !isTaken { change(&$0, most + 1) }, "\(what)")
        }
        for hostile in ["a\u{1B}[2J", "a\nb", "a\u{202E}b", "a\u{0}"] {
            #expect(try !isTaken { $0.session = hostile } && !isTaken { $0.labels = ["k": hostile] })
            #expect(try !isTaken { $0.plan.name = hostile } && !isTaken { $0.requestID = hostile })
        }
    }

    @Test("in appointments 30 days ahead")
    func appointments() throws {
        let most: Int64 = 30 * 86_400_000_000
        for (ahead, isTaken) in [(0, true), (most, true), (most + 1, false), (-1, false), (.max / 2, false)]
            as [(Int64, Bool)]
        {
            let taken = try self.isTaken { $0.at = .at(UTCTime(rawValue: 1_800_000_000_000_000 + ahead)) }
            #expect(taken == isTaken, "\(ahead)")
        }
    }

    @Test("in 16 questions of one operator, and 64 of all")
    func questions() {
        var queue = QuestionQueue<Int>()
        func asks(_ user: NodeName, _ count: Int) -> Int { (0..<count).count { queue.add($0, of: user) == .waits } }
        #expect(asks("a", 17) == 16)
        #expect(asks("b", 16) + asks("c", 16) == 32)
        #expect(asks("d", 17) == 16 && asks("e", 1) == 0)
    }

    @Test("in cameras of 65,536 pixels a side, 268 million in all, and 10 s a frame")
    func cameras() throws {
        func isTaken(_ change: (inout CameraCapabilities) -> Void) throws -> Bool {
            var rig = Rehearsal()
            var described = camera
            change(&described)
            try rig.join("a", camera: described)
            return rig.machine.nodes["a"]?.capabilities != nil
        }
        func size(_ width: Int, _ height: Int) throws -> Bool {
            try isTaken { $0.dimensions = Dimensions(width: width, height: height) }
        }
        #expect(try size(65_536, 4096) && size(4096, 65_536))
        #expect(try !size(65_537, 1) && !size(1, 65_537) && !size(65_536, 4097) && !size(0, 1) && !size(.max, .max))
        #expect(try isTaken { $0.frameDurationNanoseconds = 10_000_000_000 })
        #expect(try !isTaken { $0.frameDurationNanoseconds = 10_000_000_001 })
        #expect(try !isTaken { $0.frameDurationNanoseconds = 0 })
    }

    @Test("in a node that needs 30 s before its first exposure, unless the plan allows more")
    func leads() throws {
        func isIn(_ milliseconds: Int64, lead: Int64?) throws -> Bool {
            var rig = Rehearsal()
            try rig.join("a")
            let id = try rig.fire(.bestEffort) { $0.lead = lead }.get()
            try rig.prepared("a", id, lead: milliseconds)
            return rig.messages("a").contains { if case .fire = $0 { true } else { false } }
        }
        #expect(try isIn(30_000, lead: nil))
        #expect(try !isIn(30_001, lead: nil))
        #expect(try isIn(40_000, lead: .seconds(40)))
        #expect(try !isIn(40_001, lead: .seconds(40)))
    }
}
