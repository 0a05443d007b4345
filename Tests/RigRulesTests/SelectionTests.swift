import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("A rig of which a plan chooses some nodes")
struct SelectionTests {
    private static let groups = [
        NodeGroup(name: "top", nodes: ["top-*"], offsetNanoseconds: .milliseconds(20)),
        NodeGroup(name: "ring", nodes: ["ring-?", "door"]), NodeGroup(name: "gone", nodes: ["attic", "top-1"]),
    ]
    private var rig = Rehearsal(groups: Self.groups)

    init() throws { try rig.join("top-1", "top-2", "ring-1", "ring-2", "door") }

    private func nodes(_ id: UniqueID) throws -> [NodeName] {
        let new = rig.changes.lazy.compactMap { change in
            if case .capture(let capture) = change, capture.uniqueID == id { capture } else { nil }
        }
        return try #require(new.first).nodes.sorted()
    }

    @Test(
        "asks those alone",
        arguments: [
            (["top-*"], nil, ["top-1", "top-2"]), (["door", "*-1"], nil, ["door", "ring-1", "top-1"]),
            (nil, ["ring"], ["door", "ring-1", "ring-2"]),
            (["top-2"], ["ring"], ["door", "ring-1", "ring-2", "top-2"]),
            (nil, nil, ["door", "ring-1", "ring-2", "top-1", "top-2"]),
        ] as [([NodePattern]?, [String]?, [NodeName])])
    func chosen(patterns: [NodePattern]?, groups: [String]?, expected: [NodeName]) throws {
        var rig = rig
        let id = try rig.fire(.all) { ($0.nodes, $0.groups) = (patterns, groups) }.get()
        let asked = rig.sent.filter { if case .prepare = $0.message { true } else { false } }.map(\.node)
        #expect(asked.sorted() == expected)
        for node in expected { try rig.prepared(node, id) }
        #expect(rig.fires().count == expected.count)
    }

    @Test(
        "refuses a plan that names nobody, before anything is done",
        arguments: [
            (["tpo-*"], nil, "called tpo-*"), (["top-1", "attic"], nil, "called attic"),
            (nil, ["sky"], "groups are top"),
            (["top-11"], nil, "Did you mean top-1?"),
            (nil, ["rign"], "Did you mean ring?"),
            (nil, ["gone"], "group gone names a node that is none: no node of the rig is called attic"),
            ([], nil, "chooses no node"),
            ([], [], "chooses no node"),
        ] as [([NodePattern]?, [String]?, String)])
    func strangers(patterns: [NodePattern]?, groups: [String]?, words: String) throws {
        var rig = rig
        let result = try rig.fire(.all) { ($0.nodes, $0.groups) = (patterns, groups) }
        guard case .failure(let refusal) = result else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.code == .invalid && refusal.says(words), "\(refusal)")
        #expect(rig.sent.allSatisfy { if case .prepare = $0.message { false } else { true } })
    }

    @Test("does without a node that has left a group, where the policy does without nodes")
    func left() throws {
        var rig = rig
        let id = try rig.fire(.bestEffort) { $0.groups = ["gone"] }.get()
        #expect(rig.prepares("top-1").map(\.uniqueID) == [id] && rig.prepares("top-2").isEmpty)
    }

    @Test("says which of the nodes that a plan names is retired")
    func retired() throws {
        var rig = rig
        rig.take(.members(Members(active: ["top-1", "top-2"], retired: ["door"])))
        guard case .failure(let refusal) = try rig.fire(.all, change: { $0.nodes = ["door"] }) else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.says("(door: retired)") && refusal.says("top-1"), "\(refusal)")
    }

    @Test("measures the policy by those that are chosen")
    func quorum() throws {
        var rig = rig
        let id = try rig.fire(.all) { $0.nodes = ["top-*"] }.get()
        try rig.prepared("top-1", id)
        try rig.prepared("top-2", id)
        for node in ["top-1", "top-2"] as [NodeName] {
            try rig.deliver(node, id)
            rig.arrive(node)
        }
        #expect(rig.state(id)?.state == .complete)
        let tooMany = try rig.fire(.atLeast(3), request: "s") { $0.nodes = ["top-*"] }
        #expect(throws: Refusal.self) { try tooMany.get() }
    }

    @Test("refuses a plan whose shared exposure comes from a node that it does not choose")
    func source() throws {
        var rig = rig
        let result = try rig.fire(.all) { ($0.nodes, $0.metering) = (["top-*"], .node("door")) }
        guard case .failure(let refusal) = result else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.says("door, which is not among"), "\(refusal)")
    }

    @Test("fires a group as much later as its owner says, unless the plan says otherwise")
    func groupOffsets() throws {
        var rig = rig
        let id = try rig.fire(.all) { $0.offsets = [FiringOffset(nodes: "top-2", nanoseconds: 5)] }.get()
        for node in ["top-1", "top-2", "ring-1", "ring-2", "door"] as [NodeName] { try rig.prepared(node, id) }
        let times = Dictionary(
            uniqueKeysWithValues: rig.sent.compactMap { sent -> (NodeName, RigTime)? in
                if case .fire(let fire) = sent.message { (sent.node, fire.rigTime) } else { nil }
            })
        let base = try #require(times["door"])
        #expect(times["ring-1"] == base && times["top-2"] == base + 5 && times["top-1"] == base + .milliseconds(20))
    }

    // MARK: Several captures at once

    @Test("has two captures under way on nodes of their own")
    func overlapping() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1") { $0.nodes = ["top-*"] }.get()
        let two = try rig.fire(.all, request: "2") { $0.groups = ["ring"] }.get()
        for node in ["top-1", "top-2"] as [NodeName] { try rig.prepared(node, one) }
        for node in ["ring-1", "ring-2", "door"] as [NodeName] { try rig.prepared(node, two) }
        #expect(Set(rig.fires().map(\.uniqueID)) == [one, two])
        for node in ["ring-1", "ring-2", "door"] as [NodeName] {
            try rig.deliver(node, two)
            rig.arrive(node)
        }
        #expect(rig.state(two)?.state == .complete && rig.state(one)?.state == .firing)
    }

    @Test("refuses a capture whose node another one has, or has it wait")
    func shared() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1") { $0.nodes = ["top-*"] }.get()
        guard case .failure(let refusal) = try rig.fire(.all, request: "2", change: { $0.nodes = ["*-1"] }) else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.code == .tryAgain && refusal.says("busy with capture \(one)"))
        let two = try rig.fire(.all, request: "3", queue: true) { $0.nodes = ["*-1"] }.get()
        let reply = try #require(rig.replies.last)
        #expect(rig.state(two)?.reason?.contains("\(one)") == true)
        guard case .failure(let reserved) = try rig.fire(.all, request: "4", change: { $0.nodes = ["ring-1"] }) else {
            Issue.record("it overtook the queue")
            return
        }
        #expect(reserved.says("next of capture \(two)"))
        #expect(reply == .fired(FireReply(uniqueID: two, waitsFor: one)))
        // Nobody is asked before.
        #expect(rig.prepares("ring-1").isEmpty && rig.prepares("top-1").map(\.uniqueID) == [one])
        for node in ["top-1", "top-2"] as [NodeName] { try rig.prepared(node, one) }
        try rig.deliver("top-2", one)
        #expect(rig.prepares("ring-1").isEmpty)
        try rig.deliver("top-1", one)
        rig.take(.tick)
        // It is exposed; its photos may still be on their way.
        #expect(rig.prepares("ring-1").map(\.uniqueID) == [two] && rig.prepares("top-1").map(\.uniqueID) == [one, two])
    }

    @Test("begins what waits in the order in which it was asked for, and lets nothing overtake that needs the same")
    func order() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1") { $0.nodes = ["top-1"] }.get()
        let two = try rig.fire(.all, request: "2", queue: true) { $0.nodes = ["top-1", "door"] }.get()
        let three = try rig.fire(.all, request: "3", queue: true) { $0.nodes = ["door"] }.get()
        let four = try rig.fire(.all, request: "4", queue: true) { $0.nodes = ["ring-1"] }.get()
        #expect(rig.prepares("ring-1").map(\.uniqueID) == [four], "nothing is in its way")
        #expect(rig.prepares("door").isEmpty)
        rig.take(.cancelRequested(rig.caller, one))
        rig.take(.tick)
        #expect(rig.prepares("door").map(\.uniqueID) == [two])
        #expect(rig.state(three)?.reason?.contains("\(two)") == true)
        rig.take(.cancelRequested(rig.caller, two))
        rig.take(.tick)
        #expect(rig.prepares("door").map(\.uniqueID) == [two, three])
    }

    @Test("waits for a node that falls silent for a moment")
    func missed() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1") { $0.nodes = ["door"] }.get()
        let two = try rig.fire(.all, request: "2", queue: true) { $0.nodes = ["door"] }.get()
        rig.now = rig.now + RigMachine.liveness + 1
        rig.take(.tick)
        #expect(rig.state(one)?.state == .failed && rig.prepares("door").map(\.uniqueID) == [one])
        try rig.join("door")
        rig.take(.tick)
        #expect(rig.prepares("door").map(\.uniqueID) == [one, two])
    }

    @Test("does not hold the others up for a node that was taken out of the rig meanwhile")
    func removed() throws {
        var rig = rig
        let one = try rig.fire(.bestEffort, request: "1") { $0.nodes = ["door", "top-1"] }.get()
        let two = try rig.fire(.bestEffort, request: "2", queue: true) { $0.nodes = ["door", "top-1"] }.get()
        rig.take(.members(Members(active: ["top-1", "top-2", "ring-1", "ring-2"])))
        rig.take(.cancelRequested(rig.caller, one))
        rig.take(.tick)
        #expect(rig.prepares("top-1").map(\.uniqueID) == [one, two])
        try rig.prepared("top-1", two)
        #expect(rig.fires().map(\.uniqueID) == [two])
    }

    @Test("cancels what waits, and does not let a lost node end it")
    func cancelled() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1") { $0.nodes = ["door"] }.get()
        let two = try rig.fire(.all, request: "2", queue: true) { $0.nodes = ["door"] }.get()
        try rig.from("door", .goodbye(Goodbye()))
        #expect(rig.state(one)?.state == .failed)
        rig.take(.tick)
        #expect(rig.state(two)?.state != .failed, "it may be back at once")
        rig.now = rig.now + .seconds(16)
        rig.take(.tick)
        #expect(rig.state(two)?.state == .failed, "it is gone for good")
        try rig.join("door")
        let three = try rig.fire(.all, request: "3") { $0.nodes = ["door"] }.get()
        let four = try rig.fire(.all, request: "4", queue: true) { $0.nodes = ["door"] }.get()
        rig.take(.cancelRequested(rig.caller, four))
        #expect(rig.state(four)?.state == .cancelled && rig.state(three) == nil)
    }

    @Test("keeps an appointment late rather than not at all, where it was asked to wait")
    func patientAppointment() throws {
        var rig = rig
        let id = try rig.fire(.all, request: "1", at: .seconds(20), queue: true) { $0.nodes = ["door"] }.get()
        rig.now = rig.now + .seconds(14)
        rig.wallClock = rig.wallClock + .seconds(14)
        try rig.beat("door")
        let other = try rig.fire(.all, request: "2") { $0.nodes = ["door"] }.get()
        rig.now = rig.now + .seconds(2)
        try rig.beat("door")
        rig.take(.tick)
        #expect(rig.prepares("door").map(\.uniqueID) == [other])
        try rig.prepared("door", other)
        rig.now = rig.now + .seconds(10)
        try rig.deliver("door", other)
        rig.take(.tick)
        #expect(rig.prepares("door").map(\.uniqueID) == [other, id])
        try rig.prepared("door", id)
        let fire = try #require(rig.fires().last)
        #expect(fire.uniqueID == id && fire.rigTime > rig.now)
    }
}
