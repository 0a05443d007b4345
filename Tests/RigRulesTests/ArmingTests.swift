import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

@Suite("A rig that is armed")
struct ArmingTests {
    private var rig = Rehearsal()

    init() throws { try rig.join("a", "b") }

    private func request(_ policy: CapturePolicy = .all, _ change: (inout FireRequest) -> Void = { _ in }) throws
        -> ArmRequest
    {
        var fire = FireRequest(
            requestID: "r", plan: Plan(name: "p", bracket: try .burst(2), policy: policy), session: nil, labels: [:])
        change(&fire)
        return ArmRequest(fire)
    }

    /// Asks for it, and answers the capture that is to be armed.
    private func ask(_ rig: inout Rehearsal, _ request: ArmRequest) throws -> UniqueID {
        rig.take(.armRequested(rig.caller, request, freeBytes: 1 << 40))
        return try #require(rig.prepares("a").last).uniqueID
    }

    private func armed(_ rig: Rehearsal) -> ArmReply? {
        rig.replies.compactMap { if case .armed(let reply) = $0 { reply } else { nil } }.last
    }

    private func refusal(_ rig: Rehearsal) -> Refusal? {
        if case .refused(let refusal)? = rig.replies.last { refusal } else { nil }
    }

    private func press(_ rig: inout Rehearsal, _ id: UniqueID? = nil) {
        rig.take(.releaseRequested(rig.caller, ReleaseRequest(uniqueID: id)))
    }

    @Test("answers a request again that is armed, and refuses its ID with another plan")
    func otherPlan() throws {
        var rig = rig
        let id = try ask(&rig, request())
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        let first = try #require(armed(rig))
        rig.take(.armRequested(rig.caller, try request { $0.plan.name = "other" }, freeBytes: 1 << 40))
        #expect(refusal(rig)?.message.contains("capture \(id)") == true)
        rig.take(.armRequested(rig.caller, try request(), freeBytes: 1 << 40))
        #expect(refusal(rig) == nil && armed(rig) == first)
        rig.take(.pendingRequested(rig.caller))
        guard case .pending(let pending)? = rig.replies.last, let capture = pending.captures.first else {
            throw CancellationError()
        }
        #expect(capture.standing == .armed && capture.nodes == first.nodes)
        #expect(capture.leadNanoseconds == first.leadNanoseconds)
        #expect(capture.armedUntil == rig.wallClock + Int64.seconds(3600))
    }

    @Test("allows the order the way of a probe's answer, as somebody is waiting for it, however many the nodes are")
    func way() throws {
        // A former release does not tell it.
        for (count, answer, way) in [(4, 5, 5), (100, 5, 5), (4, nil, 50)] as [(Int, Int64?, Int64)] {
            var rig = Rehearsal()
            let nodes = ["a"] + (2...count).compactMap { NodeName("node-\($0)") }
            var report = ClockReport(
                estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
            (report.probes.longest, report.phaseNanoseconds) = (.milliseconds(50), 0)
            report.probes.longestAnswer = answer.map { .milliseconds($0) }
            for node in nodes {
                try rig.join(node)
                try rig.from(node, .heartbeat(Heartbeat(clock: report)))
            }
            let id = try ask(&rig, request())
            for node in nodes { try rig.prepared(node, id, lead: 140) }
            #expect(armed(rig)?.leadNanoseconds == .milliseconds(140 + way) + RigMachine.armedMargin)
            press(&rig)
            #expect(rig.fires().count == count)
            // The rest is for the grid.
            #expect(rig.fires().allSatisfy { $0.rigTime - rig.now <= .milliseconds(140 + way + 55) })
        }
    }

    @Test("is not fired by who takes its request for one to fire")
    func mistaken() throws {
        var rig = rig
        let id = try ask(&rig, request())
        try rig.prepared("a", id)
        try rig.prepared("b", id)
        #expect(armed(rig) != nil)
        rig.take(.fireRequested(rig.caller, try request().fire, freeBytes: 1 << 40))
        #expect(rig.fires().isEmpty && refusal(rig)?.message.contains("is armed") == true)
    }

    @Test("has its cameras left as they are, and says how it is let go")
    func cameras() throws {
        var rig = rig
        let id = try ask(&rig, request())
        try rig.prepared("a", id)
        try rig.prepared("b", id)
        rig.take(.cameraRequested(rig.caller, CameraRequest(nodes: [NodePattern(rawValue: "a")!], act: .reset)))
        let answers = rig.replies.compactMap { if case .cameras(let reply) = $0 { reply.nodes } else { nil } }.last
        #expect(answers?.first?.error?.message.contains("`volley cancel`") == true)
    }

    @Test("says so once every node holds everything, and fires at the shutter with nothing left to prepare")
    func shutter() throws {
        var rig = rig
        let id = try ask(&rig, request())
        #expect(rig.replies.isEmpty)
        try rig.prepared("a", id)
        #expect(rig.replies.isEmpty && rig.fires().isEmpty)
        try rig.prepared("b", id, lead: 140)
        let reply = try #require(armed(rig))
        #expect(reply.nodes == ["a", "b"] && reply.uniqueID == id)
        #expect(reply.leadNanoseconds == .milliseconds(140) + RigMachine.armedMargin)
        #expect(rig.fires().isEmpty && rig.state(id)?.reason?.contains("armed") == true)
        rig.now = rig.now + .seconds(2)
        let asked = rig.prepares("a").count
        press(&rig)
        #expect(rig.replies.last == .fired(FireReply(uniqueID: id)) && rig.prepares("a").count == asked)
        #expect(rig.fires().count == 2)
        let ahead = try #require(rig.fires().first).rigTime - rig.now
        // Up to a frame later, as it begins on the grid.
        #expect((reply.leadNanoseconds...reply.leadNanoseconds + .milliseconds(34)).contains(ahead), "\(ahead)")
        #expect(rig.state(id)?.state == .firing && rig.state(id)?.reason == nil)
    }

    @Test("keeps its nodes holding, for an hour")
    func held() throws {
        var rig = rig
        let id = try ask(&rig, request())
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        for _ in 0..<3590 {
            rig.now = rig.now + .seconds(1)
            for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
            rig.take(.tick)
            // Each is answered.
            for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        }
        // Twice within the time after which a node gives up what it does not hear of.
        let most = 3590 / (Int(NodeMachine.preparedLimit / .seconds(1)) / 2)
        #expect(rig.prepares("a").count > most && rig.state(id)?.state == .preparing)
        #expect(Set(rig.prepares("a")).count == 1, "the same as the first time")
        for _ in 0..<20 {
            rig.now = rig.now + .seconds(1)
            for node in ["a", "b"] as [NodeName] { try rig.beat(node) }
            rig.take(.tick)
        }
        #expect(rig.state(id)?.state == .failed && rig.state(id)?.reason?.contains("nobody fired it") == true)
        press(&rig)
        #expect(refusal(rig)?.code == .notUnderWay)
    }

    @Test("is not, and says why, where its policy is not met")
    func notArmed() throws {
        var rig = rig
        let id = try ask(&rig, request())
        try rig.from("b", .refused(Refused(uniqueID: id, error: CaptureError(.diskFull, "Its spool is full."))))
        try rig.prepared("a", id)
        #expect(armed(rig) == nil)
        #expect(refusal(rig)?.says("Its spool is full.") == true, "\(rig.replies)")
        #expect(rig.state(id)?.state == .failed)
    }

    @Test("loses a node, and lets go where its policy does not do without")
    func lost() throws {
        for (policy, isArmed) in [(.bestEffort, true), (.all, false)] as [(CapturePolicy, Bool)] {
            var rig = rig
            let id = try ask(&rig, request(policy))
            for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
            try rig.from("b", .goodbye(Goodbye()))
            press(&rig, id)
            #expect(rig.fires().count == (isArmed ? 1 : 0))
            #expect((refusal(rig) == nil) == isArmed)
        }
    }

    @Test("does without a node that no longer holds it, whose camera is gone, or whose clock is", arguments: 0..<3)
    func gone(how: Int) throws {
        for (policy, isLetGo) in [(.bestEffort, false), (.all, true)] as [(CapturePolicy, Bool)] {
            var rig = rig
            let id = try ask(&rig, request(policy))
            for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
            for second in 1...40 {
                rig.now = rig.now + .seconds(1)
                try rig.beat("a")
                if how == 2, second > 5 { try rig.beat("b", status: .unavailable) } else { try rig.beat("b") }
                if how == 1, second == 5 {
                    try rig.from(
                        "b",
                        .hello(
                            Hello(
                                node: "b", instance: "i", capabilities: nil,
                                cameraError: CaptureError(.deviceWasDisconnected, "gone"),
                                lastUniqueID: UniqueID(rawValue: 0))))
                }
                rig.take(.tick)
                try rig.prepared("a", id)
                if how > 0 { try rig.prepared("b", id) }
            }
            press(&rig, id)
            #expect(rig.fires().count == (isLetGo ? 0 : 1), "\(rig.replies)")
            #expect((refusal(rig) == nil) != isLetGo)
        }
    }

    @Test("stays armed where the frames do not lie together at the moment")
    func spread() throws {
        var rig = rig
        let id = try ask(&rig, request { $0.plan.maxSpread = .milliseconds(2) })
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        #expect(armed(rig) != nil)
        try rig.beat("b", phase: .milliseconds(9))
        press(&rig)
        #expect(refusal(rig)?.code == .tryAgain && rig.fires().isEmpty)
        try rig.beat("b", phase: 0)
        press(&rig)
        #expect(rig.fires().count == 2)
    }

    @Test("waits for nodes that are busy where it may, and then says that it is")
    func queued() throws {
        var rig = rig
        let one = try rig.fire(.all, request: "1").get()
        rig.take(.armRequested(rig.caller, try request { $0.queue = true }, freeBytes: 1 << 40))
        #expect(rig.prepares("a").map(\.uniqueID) == [one] && armed(rig) == nil)
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, one) }
        for node in ["a", "b"] as [NodeName] { try rig.deliver(node, one) }
        rig.take(.tick)
        let id = try #require(rig.prepares("a").last).uniqueID
        #expect(id != one)
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        #expect(armed(rig)?.uniqueID == id)
    }

    @Test("answers where its nodes are lost before it is even durable")
    func neverDurable() throws {
        var rig = rig
        rig.isHoldingCommits = true
        rig.take(.armRequested(rig.caller, try request(), freeBytes: 1 << 40))
        for node in ["a", "b"] as [NodeName] { try rig.from(node, .goodbye(Goodbye())) }
        rig.take(.accepted(try #require(rig.accepting)))
        #expect(refusal(rig)?.code == .unavailable)
    }

    @Test("is let go by cancelling, and is busy until then")
    func cancelled() throws {
        var rig = rig
        let id = try ask(&rig, request())
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        guard case .failure(let refusal) = try rig.fire(.all, request: "s") else {
            Issue.record("it was not refused")
            return
        }
        #expect(refusal.says("held by capture \(id), which ada armed at"))
        #expect(refusal.says("`volley fire --armed`") && refusal.says("`volley cancel`"))
        rig.take(.cancelRequested(rig.caller, id))
        #expect(rig.state(id)?.state == .cancelled && rig.fires().isEmpty)
        #expect(try rig.fire(.all, request: "s").get() > id)
    }

    @Test("answers the same again where the first answer was lost")
    func again() throws {
        var rig = rig
        let id = try ask(&rig, request())
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        let first = armed(rig)
        rig.replies = []
        rig.take(.armRequested(rig.caller, try request(), freeBytes: 1 << 40))
        #expect(armed(rig) == first && first?.uniqueID == id)
        press(&rig)
        rig.take(.armRequested(rig.caller, try request(), freeBytes: 1 << 40))
        #expect(refusal(rig)?.code == .invalid && rig.fires().count == 2)
    }

    @Test("is two where they have nodes of their own, and then wants to know which")
    func several() throws {
        var rig = rig
        rig.take(
            .armRequested(
                rig.caller,
                try request {
                    $0.plan.nodes = ["a"]
                    $0.requestID = "1"
                }, freeBytes: 1 << 40))
        rig.take(
            .armRequested(
                rig.caller,
                try request {
                    $0.plan.nodes = ["b"]
                    $0.requestID = "2"
                }, freeBytes: 1 << 40))
        let (one, two) = (
            try #require(rig.prepares("a").first).uniqueID, try #require(rig.prepares("b").first).uniqueID
        )
        try rig.prepared("a", one)
        try rig.prepared("b", two)
        press(&rig)
        #expect(refusal(rig)?.details == [one.description, two.description])
        press(&rig, two)
        #expect(rig.fires().map(\.uniqueID) == [two])
        press(&rig)
        #expect(rig.fires().map(\.uniqueID) == [two, one], "one alone is left")
    }

    @Test("has no appointment, and needs one to be armed")
    func refused() throws {
        var rig = rig
        rig.take(.armRequested(rig.caller, try request { $0.at = .at(1_900_000_000_000_000) }, freeBytes: 1 << 40))
        #expect(refusal(rig)?.code == .invalid)
        press(&rig)
        #expect(refusal(rig)?.says("Nothing is armed") == true)
    }
}
