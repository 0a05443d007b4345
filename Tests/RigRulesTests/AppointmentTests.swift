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

    @Test("is refused for a time at which its nodes have another one, unless it waits or takes other nodes")
    func sameTime() throws {
        var rig = rig
        let id = try fired(&rig, order("1", at: 60, ["a"])).uniqueID
        for seconds in [56, 60, 64] as [Int64] {
            guard case .refused(let refusal) = try ask(&rig, order("2", at: seconds)) else {
                Issue.record("accepted \(seconds) s ahead")
                continue
            }
            #expect(refusal.code == .tryAgain)
            #expect(refusal.says("is to fire capture \(id) of ada at 2027-01-15 08:01:00 UTC"))
        }
        // It would take their nodes.
        var hasty = try order("hasty", at: 56)
        hasty.queue = true
        guard case .refused = try ask(&rig, hasty) else { throw Refusal(.invalid, "accepted") }
        _ = try fired(&rig, order("other nodes", at: 60, ["b"]))
        _ = try fired(&rig, order("before", at: 54))
        _ = try fired(&rig, order("after", at: 66))
        var patient = try order("patient", at: 60)
        patient.queue = true
        _ = try fired(&rig, patient)
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
            "Capture \(id) of ada at 2027-01-15 08:10:00 UTC needs a, and fails where they are not free by then."
        #expect(reply?.remarks == [words])
        let remarks = try fired(&rig, order("3", at: 1200, ["b"])).remarks
        #expect(remarks?.first?.hasPrefix("Node b is held by capture \(armed), which ada armed") == true)
        #expect(try check(&rig, order("4", at: 1800, ["b"])).remarks == remarks)
        #expect(try check(&rig, order("5", at: 4000, ["b"])).remarks == nil)
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
