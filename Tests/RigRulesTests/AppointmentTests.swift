import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("An appointment")
struct AppointmentTests {
    private var rig = Rehearsal()

    init() throws { try rig.join("a", "b") }

    private func order(_ id: String, at seconds: Int64? = nil, _ nodes: [NodePattern]? = nil) throws -> FireRequest {
        var plan = Plan(name: "p", bracket: try .burst(2))
        plan.nodes = nodes
        let at = seconds.map { Instant.at(rig.wallClock + .seconds($0)) }
        return FireRequest(requestID: id, plan: plan, session: nil, labels: [:], at: at)
    }

    /// Asks for it, and returns what is answered last.
    private func ask(_ rig: inout Rehearsal, _ order: FireRequest) throws -> OperatorReply {
        rig.take(.fireRequested(rig.caller, order, freeBytes: 1 << 40))
        return try #require(rig.replies.last)
    }

    private func fired(_ rig: inout Rehearsal, _ order: FireRequest) throws -> FireReply {
        guard case .fired(let reply) = try ask(&rig, order) else { throw Refusal(.invalid, "\(rig.replies)") }
        return reply
    }

    private func check(_ rig: inout Rehearsal, _ order: FireRequest) throws -> CheckReply {
        rig.take(.checkRequested(rig.caller, CheckRequest(order), freeBytes: 1 << 40))
        guard case .checked(let reply)? = rig.replies.last else { throw Refusal(.invalid, "\(rig.replies)") }
        return reply
    }

    @Test("at a time for which its nodes have another one is told of that, unless it waits or takes other nodes")
    func sameTime() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 60, ["a"])).uniqueID
        let needs = "Capture \(id) of ada at 2027-01-15 08:01:00 UTC needs a from 08:00:55 on"
        for (seconds, end) in [
            (56, ", and goes without what is not free by then."),
            (60, "; this one goes without what is not free again by then."),
            (64, "; this one goes without what is not free again by then."),
        ] as [(Int64, String)] {
            let asked = try order("at \(seconds)", at: seconds)
            let expected = [needs + end]
            #expect(try check(&rig, asked).remarks == expected)
            let reply = try fired(&rig, asked)
            #expect(reply.remarks == expected)
            // An answer that was lost is given again.
            #expect(try fired(&rig, asked) == reply)
            rig.take(.cancelRequested(rig.caller, reply.uniqueID))
        }
        var patient = try order("patient", at: 60)
        patient.queue = true
        for other in [try order("other nodes", at: 60, ["b"]), try order("before", at: 53), try order("after", at: 67)]
        {
            let reply = try fired(&rig, other)
            #expect(reply.remarks == nil)
            rig.take(.cancelRequested(rig.caller, reply.uniqueID))
        }
        #expect(try fired(&rig, patient).remarks == nil)
    }

    @Test("that cannot be kept while its nodes are armed is told of by whoever arms, and by whoever makes it")
    func armed() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 600, ["a"])).uniqueID
        _ = try fired(&rig, order("beyond", at: 7200))
        rig.take(.armRequested(rig.caller, ArmRequest(try order("2")), freeBytes: 1 << 40))
        let armed = try #require(rig.prepares("a").last).uniqueID
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, armed) }
        let reply = rig.replies.compactMap { if case .armed(let reply) = $0 { reply } else { nil } }.last
        let words =
            "Capture \(id) of ada at 2027-01-15 08:10:00 UTC needs a from 08:09:55 on, "
            + "and goes without what is not free by then."
        #expect(reply?.remarks == [words])
        let remarks = try fired(&rig, order("3", at: 1200, ["b"])).remarks
        #expect(remarks?.first?.hasPrefix("Node b is held by capture \(armed), which ada armed") == true)
        #expect(try check(&rig, order("4", at: 1800, ["b"])).remarks == remarks)
        #expect(try check(&rig, order("5", at: 4000, ["b"])).remarks == nil)
    }

    @Test("is told of one that was made just before its time and still has its nodes")
    func underWay() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 9)).uniqueID
        #expect(try fired(&rig, order("2", at: 12)).remarks?.first?.hasPrefix("Capture \(id) of ada") == true)
        rig.take(.cancelRequested(rig.caller, id))
        #expect(try check(&rig, order("3", at: 30)).remarks == nil)
    }

    @Test("lasts no longer than an hour for each exposure: no sum of them overflows")
    func endless() throws {
        var rig = rig
        var order = try order("1", at: 60)
        let step = BracketedStillImageSettings.manualExposure(
            exposureDuration: .value(ExposureDuration(nanoseconds: .max)), iso: .current, gain: .current)
        order.plan = Plan(name: "p", bracket: try Bracket([step, step]))
        guard case .refused(let refusal) = try ask(&rig, order) else { throw Refusal(.invalid, "accepted") }
        #expect(refusal.says("an hour at most"))
    }

    @Test("says that a node which it counts on has left the rig, until another board is admitted in its place")
    func leaving() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 600)).uniqueID
        #expect(rig.machine.unfiredCaptures(countingOn: "a") == [id])
        let fires = "It fires at 2027-01-15 08:10:00 UTC."
        rig.take(.members(Members(active: ["b"])))
        #expect(rig.state(id)?.reason == fires + " Node a, which it counts on, does not belong to the rig any more.")
        rig.take(.members(Members(active: ["a", "b"])))
        #expect(rig.state(id)?.reason == fires)
    }

    @Test("keeps a retired node from owing nothing")
    func retired() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 600)).uniqueID
        rig.take(.members(Members(active: ["b"], retired: ["a"])))
        try rig.from("a", .heartbeat(Heartbeat(keepsCount: 0)))
        rig.take(.nodesRequested(rig.caller))
        guard case .nodes(let reply)? = rig.replies.last else { throw Refusal(.invalid, "\(rig.replies)") }
        let problem = reply.nodes.first { $0.name == "a" }?.problem
        #expect(problem == "Node a is retired; capture \(id) counts on it.")
    }

    @Test("keeps its nodes for as long as what its plan sets exposes")
    func setExposures() throws {
        var rig = Rehearsal()
        var slow = camera
        slow.exposureDurationRange = ExposureDuration(nanoseconds: 1)...ExposureDuration(seconds: 60)
        try rig.join("a", "b", camera: slow)
        var order = try order("1")
        var settings = NodeSettings()
        settings.camera.exposureDuration = ExposureDuration(seconds: 30)
        order.plan.settings = [settings]
        #expect(try check(&rig, order).leastNanoseconds == .seconds(60))
        // What is for other nodes does not count, and of two for one node the later.
        var (other, later) = (settings, settings)
        (order.plan.nodes, other.nodes) = (["a"], ["b"])
        later.camera.exposureDuration = ExposureDuration(seconds: 10)
        order.plan.settings = [settings, later, other]
        #expect(try check(&rig, order).leastNanoseconds == .seconds(20))
        settings.camera.exposureDuration = ExposureDuration(nanoseconds: .max)
        order.plan.settings = [settings]
        guard case .refused(let refusal) = try ask(&rig, order) else { throw Refusal(.invalid, "accepted") }
        #expect(refusal.says("an hour at most"))
    }

    @Test("that is near is told of by whoever fires its nodes now")
    func near() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 11)).uniqueID
        #expect(try check(&rig, order("2")).remarks == nil)
        rig.now = rig.now + .milliseconds(5950)
        rig.wallClock = rig.wallClock + .milliseconds(5950)
        for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
        let other = try order("3")
        #expect(try check(&rig, other).remarks?.first?.contains("Capture \(id) of ada") == true)
        #expect(try fired(&rig, other).remarks?.first?.contains("Capture \(id) of ada") == true)
    }
}
