import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

@Suite("A coordinator that keeps its rig together")
struct RigSyncTests {
    private let exposure = Exposure(duration: ExposureDuration(nanoseconds: 4_000_000), iso: 100)

    private func fired(_ rig: Rehearsal, _ node: NodeName) throws -> Fire {
        try #require(rig.messages(node).compactMap { if case .fire(let fire) = $0 { fire } else { nil } }.last)
    }

    @Test("lays one schedule out of all nodes' paces: each step waits for the slowest")
    func schedule() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id, steps: [33, 100])
        try rig.prepared("b", id, steps: [50, 33])
        for fire in rig.fires() { #expect(fire.stepOffsets == [0, .milliseconds(50)]) }
        #expect(rig.fires().count == 2)
    }

    @Test("gives cameras of one pace one grid, a little slower where their frames can be made longer")
    func grid() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        rig.now = rig.now + .seconds(2)
        rig.take(.tick)
        func grids(_ node: NodeName) -> [FrameGrid] {
            rig.messages(node).compactMap { if case .heartbeat(let beat) = $0 { beat.grid } else { nil } }
        }
        #expect(grids("a").last == FrameGrid(period: 33_000_000) && grids("a").last == grids("b").last)
        var able = camera
        able.frameDurationRange = 33_000_000...330_000_000
        var other = Rehearsal()
        try other.join("a", "b", camera: able)
        other.now = other.now + .seconds(2)
        other.take(.tick)
        let slower = other.messages("a").compactMap { if case .heartbeat(let beat) = $0 { beat.grid } else { nil } }
        #expect(slower.last == FrameGrid(period: 33_066_000))
        // One that cannot be moved takes from the others no room, nor they from it.
        try other.join("c")
        other.now = other.now + .seconds(2)
        other.take(.tick)
        func last(_ node: NodeName) -> FrameGrid? {
            other.messages(node).compactMap { if case .heartbeat(let beat) = $0 { beat.grid } else { nil } }.last
        }
        #expect(last("a") == FrameGrid(period: 33_066_000) && last("c") == FrameGrid(period: 33_000_000))
    }

    @Test("fires nodes later that the plan wants later, and counts their spread without it")
    func offsets() throws {
        var rig = Rehearsal()
        try rig.join("cage-1", "cage-2", "top")
        let id = try rig.fire(.all) { plan in
            plan.offsets = [
                FiringOffset(nodes: "*", nanoseconds: 0), FiringOffset(nodes: "cage-*", nanoseconds: 2_000_000),
                FiringOffset(nodes: "cage-2", nanoseconds: 5_000_000),
            ]
            plan.maxSpread = 1_000_000
        }.get()
        for node in ["cage-1", "cage-2", "top"] as [NodeName] { try rig.prepared(node, id) }
        let top = try fired(rig, "top").rigTime
        #expect(try fired(rig, "cage-1").rigTime - top == 2_000_000)
        #expect(try fired(rig, "cage-2").rigTime - top == 5_000_000)
        let starts: [Int64] = [top.nanoseconds, top.nanoseconds + 33_000_000]
        try rig.deliver("top", id, starts: starts)
        try rig.deliver("cage-1", id, starts: starts.map { $0 + 2_000_000 })
        try rig.deliver("cage-2", id, starts: starts.map { $0 + 5_900_000 })
        for node in ["cage-1", "cage-2", "top"] as [NodeName] { rig.arrive(node) }
        #expect(rig.state(id)?.state == .complete)
    }

    @Test("calls a capture partial whose nodes were further apart than the plan allows, with the figure")
    func spread() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all) { $0.maxSpread = 2_000_000 }.get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        try rig.deliver("a", id, starts: [1_000_000_000, 1_033_000_000])
        try rig.deliver("b", id, starts: [1_000_100_000, 1_036_500_000])
        for node in ["a", "b"] as [NodeName] { rig.arrive(node) }
        #expect(rig.state(id)?.state == .partial)
        #expect(rig.state(id)?.reason == "The nodes began step 2 3.5 ms apart; the plan allows 2.0 ms.")
    }

    @Test("says so where cameras do not tell well enough when they began")
    func vague() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all) { $0.maxSpread = 2_000_000 }.get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        try rig.deliver("a", id, starts: [1_000_000_000, 1_033_000_000])
        try rig.deliver("b", id, starts: [1_000_100_000, 1_033_500_000], uncertainty: 83_000_000)
        for node in ["a", "b"] as [NodeName] { rig.arrive(node) }
        #expect(rig.state(id)?.state == .partial)
        #expect(
            rig.state(id)?.reason
                == "The nodes began step 2 0.5 ms apart, known to ±166.0 ms, so the plan's limit of 2.0 ms "
                + "cannot be shown to have been kept.")
    }

    @Test("takes the limit for kept where one lamp has shown all cameras when they begin", arguments: [7, 8])
    func lamp(ofOther: Int64) throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all) { $0.maxSpread = 2_000_000 }.get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        for (node, lamp) in [("a", 7), ("b", ofOther)] as [(NodeName, Int64)] {
            try rig.deliver(
                node, id, starts: [1_000_000_000, 1_033_000_000], uncertainty: 83_000_000,
                lamp: RelativeUncertainty(lamp: UniqueID(rawValue: lamp), nanoseconds: 900_000))
            rig.arrive(node)
        }
        #expect(rig.state(id)?.state == (ofOther == 7 ? .complete : .partial))
    }

    @Test("refuses a limit that each node could keep by a lamp, where they saw different ones", arguments: [7, 8])
    func lamps(ofOther: Int64) throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all) { $0.maxSpread = 2_000_000 }.get()
        for (node, lamp) in [("a", 7), ("b", ofOther)] as [(NodeName, Int64)] {
            try rig.beat(node, phase: 0)
            let relative = RelativeUncertainty(lamp: UniqueID(rawValue: lamp), nanoseconds: 900_000)
            try rig.prepared(node, id, starts: StartUncertainty(nanoseconds: 83_000_000, relative: relative))
        }
        #expect(rig.fires().isEmpty == (ofOther == 8))
        guard ofOther == 8 else { return }
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.state(id)?.reason?.contains("known to ±166.0 ms only, as no lamp has shown all of them") == true)
    }

    @Test("refuses what cannot be met before anything fires, with the node's name and figure")
    func refusals() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        // Two of them can be further apart than the limit.
        try rig.beat("b", bound: 1_200_000)
        guard case .failure(let refusal) = try rig.fire(.all, change: { $0.maxSpread = 2_000_000 }) else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.says("Node b knows rig time to ±1.2 ms only"))
        #expect(rig.prepares("a").isEmpty)
        // Frames that lie apart cannot begin together.
        try rig.beat("a", phase: -6_000_000)
        try rig.beat("b", phase: 3_000_000)
        let id = try rig.fire(.all, request: "2") { $0.maxSpread = 2_000_000 }.get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        #expect(rig.fires().isEmpty)
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.state(id)?.reason?.contains("node b would begin 9.0 ms after node a") == true)
        // One whose frames nobody knows cannot be held to anything.
        try rig.beat("b", phase: nil)
        let blind = try rig.fire(.all, request: "3") { $0.maxSpread = 2_000_000 }.get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, blind) }
        #expect(rig.fires().isEmpty)
        #expect(rig.state(blind)?.reason?.contains("how the frames of b lie is not known yet") == true)
    }

    @Test("refuses a plan that names a node which the rig does not have, or has but cannot use now")
    func strangers() throws {
        var rig = Rehearsal()
        try rig.join("cage-1", "cage-2")
        let changes: [(inout Plan) -> Void] = [
            { $0.metering = .node("cage-3") }, { $0.whiteBalance = .greyCard("top") },
            { $0.offsets = [FiringOffset(nodes: "top-*", nanoseconds: 1)] },
        ]
        for (index, change) in changes.enumerated() {
            guard case .failure(let refusal) = try rig.fire(.bestEffort, request: "\(index)", change: change) else {
                Issue.record("it was not refused")
                continue
            }
            #expect(refusal.code == .invalid && refusal.message.contains("its nodes are cage-1, cage-2"))
        }
        try rig.beat("cage-2", status: .calibrating)
        guard case .failure(let refusal) = try rig.fire(.bestEffort, change: { $0.metering = .node("cage-2") }) else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.code == .unavailable && refusal.message.contains("cage-2"))
    }

    @Test("lets a clock that runs free take part, and writes down that it did")
    func freeRun() throws {
        var rig = Rehearsal()
        try rig.join("a")
        try rig.beat("a", bound: 70_000, status: .freeRun)
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        #expect(
            rig.changes.contains(
                .captureNodeSync(id, node: "a", offset: 0, clockStatus: "freeRun", clockBound: 70_000)))
        try rig.beat("a", status: .calibrating)
        #expect(throws: Refusal.self) { try rig.fire(.all, request: "2").get() }
    }

    // MARK: Appointments

    @Test("keeps an appointment: prepares shortly before, and fires on the grid's next instant")
    func appointment() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let start = rig.now
        let id = try rig.fire(.all, at: .seconds(60)).get()
        #expect(rig.prepares("a").isEmpty)
        #expect(rig.state(id)?.reason == "It fires at 2027-01-15 08:01:00 UTC.")
        while rig.now - start < .seconds(58), rig.prepares("a").isEmpty {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
        #expect(rig.now - start == .seconds(55))
        #expect(rig.state(id)?.reason == nil)
        try rig.prepared("a", id)
        let late = try fired(rig, "a").rigTime - (start + .seconds(60))
        #expect((0..<33_000_000).contains(late))
    }

    @Test("refuses an appointment in the past, by how much, and one too far ahead; a waiting one can be cancelled")
    func badAppointments() throws {
        var rig = Rehearsal()
        try rig.join("a")
        guard case .failure(let past) = try rig.fire(.all, at: -2_500_000) else {
            Issue.record("it was not refused")
            return
        }
        #expect(past.message.contains("2.5 ms ago") && past.code == .invalid)
        #expect(throws: Refusal.self) { try rig.fire(.all, request: "2", at: .seconds(31 * 86_400)).get() }
        let id = try rig.fire(.all, request: "3", at: .seconds(600)).get()
        // Meanwhile the node is free for others.
        let other = try rig.fire(.all, request: "4").get()
        rig.take(.cancelRequested(rig.caller, other))
        rig.take(.cancelRequested(rig.caller, id))
        #expect(rig.state(id)?.state == .cancelled)
    }

    @Test("does not lose a node from an appointment that was away meanwhile, or busy when it was made")
    func patientAppointment() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let busy = try rig.fire(.all, request: "now").get()
        let id = try rig.fire(.all, request: "later", at: .seconds(60)).get()
        rig.take(.cancelRequested(rig.caller, busy))
        // Node b is silent for a while.
        for _ in 0..<10 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
        #expect(rig.state(id)?.reason == "It fires at 2027-01-15 08:01:00 UTC.")
        try rig.join("b")
        for _ in 0..<46 {
            rig.now = rig.now + .seconds(1)
            for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
            rig.take(.tick)
        }
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        #expect(rig.fires().filter { $0.uniqueID == id }.count == 2)
    }

    @Test("lets one slow node not make the others late for an appointment")
    func slowNode() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let start = rig.now
        let id = try rig.fire(.bestEffort, at: .seconds(20)).get()
        while rig.now - start < .seconds(21), rig.fires().isEmpty {
            rig.now = rig.now + .milliseconds(250)
            for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
            rig.take(.tick)
            if rig.prepares("a").count == 1 { try rig.prepared("a", id) }
        }
        let fire = try fired(rig, "a")
        #expect(fire.rigTime - rig.now >= .milliseconds(500), "in time for its lead")
    }

    @Test("takes no number from outside that cannot be")
    func hostile() throws {
        var rig = Rehearsal()
        try rig.join("a")
        for at in [UTCTime(rawValue: .max), UTCTime(rawValue: .min), 13_000_000_000_000_000] {
            let plan = Plan(name: "p", bracket: try .burst(1))
            let request = FireRequest(requestID: "\(at)", plan: plan, session: nil, labels: [:], at: .at(at))
            rig.take(.fireRequested(rig.caller, request, freeBytes: 1 << 40))
        }
        #expect(throws: Refusal.self) { try rig.fire(.all) { $0.lead = .max }.get() }
        #expect(throws: Refusal.self) {
            try rig.fire(.all) { $0.offsets = [FiringOffset(nodes: "a", nanoseconds: .max)] }.get()
        }
        try rig.beat("a", phase: .min)
        var report = ClockReport(estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
        report.probes.longest = .max
        try rig.from("a", .heartbeat(Heartbeat(clock: report)))
        (report.probes.longest, report.probes.longestAnswer) = (1, -1)
        try rig.from("a", .heartbeat(Heartbeat(clock: report)))
        let id = try rig.fire(.all, request: "good").get()
        try rig.prepared("a", id, settled: SharedSettings(exposure: Exposure(iso: 1e300)))
        #expect(rig.fires().isEmpty && rig.state(id)?.state == .failed)
    }

    // MARK: One exposure

    @Test("asks all nodes to use the exposure in the middle of what they meter")
    func rigMedian() throws {
        var rig = Rehearsal()
        try rig.join("a", "b", "c")
        let id = try rig.fire(.all) { $0.metering = .rigMedian }.get()
        for (node, time) in [("a", 2), ("b", 8), ("c", 4)] as [(NodeName, Int64)] as [(NodeName, Int64)] {
            let settled = Exposure(duration: ExposureDuration(nanoseconds: time * 1_000_000), iso: 100)
            try rig.prepared(node, id, settled: SharedSettings(exposure: settled))
        }
        #expect(rig.fires().isEmpty)
        for node in ["a", "b", "c"] as [NodeName] {
            #expect(rig.prepares(node).map(\.shared) == [nil, SharedSettings(exposure: exposure)])
            try rig.prepared(node, id)
        }
        #expect(rig.fires().count == 3)
    }

    @Test("uses one node's exposure and another's grey card, and fires nothing when one of them has none")
    func named() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        func share(_ plan: inout Plan) {
            plan.metering = .node("a")
            plan.whiteBalance = .greyCard("b")
        }
        let id = try rig.fire(.all, change: share).get()
        let white = WhiteBalance.gains(WhiteBalanceGains(red: 2, green: 1, blue: 1.5))
        try rig.prepared("a", id, settled: SharedSettings(exposure: exposure))
        try rig.prepared("b", id, settled: SharedSettings(exposure: Exposure(), whiteBalance: white))
        #expect(rig.prepares("b").last?.shared == SharedSettings(exposure: exposure, whiteBalance: white))
        rig.take(.cancelRequested(rig.caller, id))
        let other = try rig.fire(.all, request: "2", change: share).get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, other) }
        #expect(rig.state(other)?.state == .failed && rig.fires().isEmpty)
    }
}
