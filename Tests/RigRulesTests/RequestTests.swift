import CaptureModel
import RigClock
import RigProtocol
import Testing

@testable import RigRules

@Suite("Requests to fire")
struct RequestTests {
    @Test("fires the same request once")
    func idempotent() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let first = try rig.fire(.all, request: "same").get()
        let second = try rig.fire(.all, request: "same").get()
        #expect(first == second)
        #expect(rig.messages("a").filter { if case .prepare = $0 { true } else { false } }.count == 1)
    }

    @Test("refuses a request whose ID another plan has")
    func otherPlan() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        let refusal = #expect(throws: Refusal.self) { try rig.fire(.all, change: { $0.name = "other" }).get() }
        #expect(refusal?.code == .invalid && refusal?.message.contains("capture \(id)") == true)
    }

    @Test("refuses a request whose ID something else has that was said of its capture, whatever it is")
    func otherTags() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let (plan, time) = (Plan(name: "p", bracket: try .burst(2)), rig.wallClock + .seconds(3600))
        func order(_ change: (inout FireRequest) -> Void = { _ in }) -> FireRequest {
            var order = FireRequest(requestID: "r", plan: plan, session: "s", labels: ["k": "v"])
            (order.subject, order.at) = ("vase", .at(time))
            change(&order)
            return order
        }
        func ask(_ order: FireRequest) -> OperatorReply? {
            rig.take(.fireRequested(rig.caller, order, freeBytes: 1 << 40))
            return rig.replies.last
        }
        guard case .fired(let first)? = ask(order()) else { throw CancellationError() }
        #expect(ask(order()) == .fired(first) && ask(order { $0.at = .at(time + .seconds(59)) }) == .fired(first))
        for (difference, change) in [
            ("session", { $0.session = nil }), ("time", { $0.at = nil }),
            ("time", { $0.at = .at(time + .seconds(60)) }),
            ("time", { $0.at = .at(UTCTime(rawValue: .min)) }), ("time", { $0.at = .fromNow(.seconds(3600)) }),
            ("subject", { $0.subject = "jug" }),
            ("labels", { $0.labels = [:] }),
        ] as [(String, (inout FireRequest) -> Void)] {
            guard case .refused(let refusal)? = ask(order(change)) else { throw CancellationError() }
            #expect(refusal.code == .invalid && refusal.message.contains(difference))
        }
    }

    @Test(
        "refuses labels that nobody could ask for as KEY=VALUE",
        arguments: [["": "v"], ["k": ""], ["k=": "v"]] as [[String: String]])
    func labels(_ labels: [String: String]) throws {
        var rig = Rehearsal()
        try rig.join("a")
        #expect(try check(&rig) { $0.labels = labels }?.contains("label") == true)
    }

    @Test("says what is still to be fired, and what each waits for")
    func pending() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        func pending() throws -> [PendingReply.Capture] {
            rig.take(.pendingRequested(rig.caller))
            guard case .pending(let reply)? = rig.replies.last else { throw CancellationError() }
            return reply.captures
        }
        func fire(_ name: String, _ change: (inout FireRequest) -> Void = { _ in }) throws -> UniqueID {
            var order = FireRequest(
                requestID: name, plan: Plan(name: name, bracket: try .burst(2)), session: nil, labels: [:])
            change(&order)
            rig.take(.fireRequested(rig.caller, order, freeBytes: 1 << 40))
            guard case .fired(let reply)? = rig.replies.last(where: { if case .fired = $0 { true } else { false } })
            else { throw CancellationError() }
            return reply.uniqueID
        }
        let time = rig.wallClock + .seconds(3600)
        let first = try fire("first")
        let second = try fire("second") { $0.queue = true }
        let third = try fire("third") { $0.at = .at(time) }
        #expect(try pending().map(\.uniqueID) == [first, second, third])
        #expect(try pending().map(\.standing) == [.preparing, .queued, .appointed])
        #expect(try pending().map(\.waitsFor) == [nil, first, nil] && pending().map(\.at) == [nil, nil, time])
        #expect(try pending().allSatisfy { $0.nodes == ["a", "b"] && $0.armedUntil == nil })
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, first) }
        #expect(try pending().map(\.uniqueID) == [second, third], "it was fired")
    }

    @Test("counts a span by rig time, whatever the wall clock shows")
    func spans() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let order = FireRequest(
            requestID: "r", plan: Plan(name: "p", bracket: try .burst(2)), session: nil, labels: [:],
            at: .fromNow(.seconds(60)))
        rig.take(.fireRequested(rig.caller, order, freeBytes: 1 << 40))
        guard case .fired(let reply)? = rig.replies.last else { throw CancellationError() }
        let fireAt = rig.now + .seconds(60)
        // NTP sets the clock, by days.
        rig.wallClock = rig.wallClock + .seconds(20 * 86_400)
        #expect(rig.machine.captures[reply.uniqueID]?.fireAt == fireAt)
        rig.take(.fireRequested(rig.caller, order, freeBytes: 1 << 40))
        #expect(rig.replies.last == .fired(reply), "the same request once more")
        // "10 s ago" is refused, as a time that has passed.
        var late = order
        (late.requestID, late.at) = ("late", .fromNow(-.seconds(10)))
        rig.take(.fireRequested(rig.caller, late, freeBytes: 1 << 40))
        guard case .refused(let refusal)? = rig.replies.last else { throw CancellationError() }
        #expect(refusal.message.contains("10 s ago"))
    }

    /// What a check says: nothing where it would be fired.
    private func check(_ rig: inout Rehearsal, _ change: (inout FireRequest) -> Void = { _ in }) throws -> String? {
        var order = FireRequest(
            requestID: "check", plan: Plan(name: "p", bracket: try .burst(2)), session: nil, labels: [:])
        change(&order)
        rig.replies = []
        rig.take(.checkRequested(rig.caller, CheckRequest(order), freeBytes: 1 << 40))
        switch try #require(rig.replies.first) {
        case .checked(let reply):
            #expect(reply.expectedPhotoCount == 2 * reply.nodes.count)
            return nil
        case .refused(let refusal): return refusal.message
        case .fired, .armed, .annotated, .trash, .nodes, .clocks, .pending, .cameras: throw CancellationError()
        }
    }

    @Test("checks a request as it would be fired: of nodes that are busy, for later, and with its texts")
    func checks() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        #expect(try check(&rig) == nil)
        let busy = try rig.fire(.all).get()
        #expect(try check(&rig)?.hasPrefix("It would not be fired") == true, "both nodes are busy")
        #expect(try check(&rig) { $0.queue = true } == nil)
        guard case .checked(let reply)? = rig.replies.first else { throw CancellationError() }
        #expect(reply.waitsFor == busy)
        let now = rig.wallClock
        #expect(try check(&rig) { $0.at = .at(now + .seconds(3600)) } == nil)
        #expect(try check(&rig) { $0.at = .at(now + -.seconds(5)) }?.contains("5 s ago") == true)
        #expect(try check(&rig) { $0.subject = String(repeating: "x", count: 201) }?.contains("200") == true)
    }
}
