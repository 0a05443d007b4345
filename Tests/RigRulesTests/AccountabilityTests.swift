import CaptureModel
import RigClock
import RigProtocol
import Testing

@testable import RigRules

@Suite("What a rig answers for")
struct AccountabilityTests {
    @Test("is who fired and who cancelled, and which camera took each part")
    func names() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        rig.take(.cancelRequested(Caller(peer: Peer(routingID: [9]), user: "bob", request: 1), id))
        let by = rig.changes.compactMap { change -> String? in
            switch change {
            case .capture(let capture): "fired by \(capture.firedBy)"
            case .captureCancelled(id, let user, _): "cancelled by \(user)"
            case .captureNodeCamera(id, let node, let camera): "\(node): \(camera.cameraID) \(camera.software ?? "")"
            default: nil
            }
        }
        let part = "simulated:1 \(Release.version)"
        #expect(by == ["fired by ada", "a: \(part)", "b: \(part)", "cancelled by bob"])
    }

    @Test("is told in numbers that only rise, from the clock's time on, each with the one before it")
    func numbers() throws {
        var rig = Rehearsal()
        try rig.join("a")
        rig.take(.tick)
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        // A clock that is set back takes no number again.
        rig.wallClock = rig.wallClock - .seconds(3600)
        rig.take(.cancelRequested(rig.caller, id))
        rig.now = rig.now + RigMachine.liveness + 1
        rig.take(.tick)
        let news = rig.changes.compactMap { if case .news(let news) = $0 { news } else { nil } }
        #expect(news.count >= 5)
        #expect(news.first.map { $0.number >= 1_800_000_000_000_000 && $0.previous == 0 } == true)
        for (one, next) in zip(news, news.dropFirst()) {
            #expect(next.number > one.number && next.previous == one.number)
        }
        #expect(rig.machine.lastNews == news.last?.number)
    }

    @Test("is bounded for each operator: who has too many appointments is told, and others go on")
    func appointments() throws {
        var rig = Rehearsal()
        try rig.join("a")
        for number in 0..<RigMachine.mostOfOneOperator {
            _ = try rig.fire(.all, request: "r\(number)", at: .seconds(600 + 60 * Int64(number))).get()
        }
        let refusal = #expect(throws: Refusal.self) { try rig.fire(.all, request: "more", at: .seconds(300)).get() }
        #expect(refusal?.code == .tryAgain && refusal?.message.contains("cancel some") == true)
        rig.replies = []
        let other = Caller(peer: Peer(routingID: [7]), user: "eve", request: 1)
        let plan = Plan(name: "p", bracket: try .burst(1))
        let request = FireRequest(
            requestID: "e", plan: plan, session: nil, labels: [:], at: .at(rig.wallClock + .seconds(300)))
        rig.take(.fireRequested(other, request, freeBytes: 1 << 40))
        guard case .fired? = rig.replies.first else {
            Issue.record("\(rig.replies)")
            return
        }
    }

    @Test("is told to a node that a coordinator of a wrong clock had misled, which obeys again")
    func misled() throws {
        var rig = Rehearsal()
        rig.take(.members(Members(active: ["a"])))
        for epoch in [(rig.wallClock + .seconds(400 * 86_400)).rawValue, .max] {
            rig.sent = []
            try rig.from(
                "a",
                .hello(
                    Hello(
                        node: "a", instance: "i", capabilities: camera, cameraError: nil,
                        lastUniqueID: UniqueID(rawValue: 0), epoch: epoch)))
            guard case .welcome(let welcome)? = rig.messages("a").first else {
                Issue.record("\(rig.sent)")
                return
            }
            #expect(welcome.replaces == epoch && welcome.epoch == 5)
            var node = NodeMachine(name: "a", instance: "i", epoch: epoch)
            let known = ClockReport(
                estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
            let effects = node.handle(.received(.welcome(welcome)), now: MonotonicTime(nanoseconds: 0), clock: known)
            #expect(effects.contains { if case .keepEpoch(5) = $0 { true } else { false } })
        }
        #expect(rig.reports.contains { $0.contains("whose clock was days ahead") })
    }
}
