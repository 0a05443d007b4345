import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

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
        case .fired, .armed, .annotated, .trash, .nodes, .clocks, .cameras: throw CancellationError()
        }
    }

    @Test("checks a request as it would be fired: of nodes that are busy, for later, and with its texts")
    func checks() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        #expect(try check(&rig) == nil)
        _ = try rig.fire(.all).get()
        #expect(try check(&rig)?.hasPrefix("It would not be fired") == true, "both nodes are busy")
        #expect(try check(&rig) { $0.queue = true } == nil)
        let now = rig.wallClock
        #expect(try check(&rig) { $0.at = now + .seconds(3600) } == nil)
        #expect(try check(&rig) { $0.at = now + -.seconds(5) }?.contains("5000.0 ms ago") == true)
        #expect(try check(&rig) { $0.subject = String(repeating: "x", count: 201) }?.contains("200") == true)
    }
}
