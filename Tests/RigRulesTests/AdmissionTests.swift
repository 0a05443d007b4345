import CaptureModel
import RigProtocol
import RigRules
import Testing

@Suite("Who is let into a rig")
struct AdmissionTests {
    @Test("admits one node of a name, under its own key")
    func names() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let name: NodeName = "a"
        func hello(_ node: NodeName, _ instance: String) -> NodeMessage {
            .hello(
                Hello(
                    node: node, instance: instance, capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0)))
        }
        func answer(_ message: NodeMessage) -> Rejected.Code? {
            rig.sent = []
            rig.take(.fromNode(Peer(routingID: Array("z".utf8)), user: name, message))
            if case .rejected(let rejected)? = rig.sent.last?.message { return rejected.code }
            return nil
        }
        #expect(answer(hello("a", "other")) == .nameInUse)
        #expect(answer(.heartbeat(Heartbeat())) == .unknownNode)
        rig.now = rig.now + RigMachine.liveness + 1
        #expect(answer(hello("a", "other")) == nil, "the first one is gone")
    }

    @Test("has a board blink that says it has a light, and says of others why not")
    func identify() throws {
        var rig = Rehearsal()
        try rig.join("lit", "dark", "gone")
        for (name, light) in [("lit", "ACT"), ("dark", nil), ("gone", "ACT")] as [(NodeName, String?)] {
            let board = BoardReport(uptimeSeconds: 1, light: light)
            try rig.from(name, .heartbeat(Heartbeat(board: board)))
        }
        try rig.from("gone", .goodbye(Goodbye()))
        func answer(_ node: NodeName, _ seconds: Int = 30) -> Refusal.Code? {
            (rig.sent, rig.replies) = ([], [])
            rig.take(.identifyRequested(rig.caller, IdentifyRequest(node: node, seconds: seconds)))
            if case .refused(let refusal)? = rig.replies.last { return refusal.code }
            return nil
        }
        #expect(answer("lit") == nil && rig.messages("lit") == [.identify(Identify(seconds: 30))])
        #expect(answer("lit", Identify.longest) == nil)
        for seconds in [0, -1, Identify.longest + 1, .max] {
            #expect(answer("lit", seconds) == .invalid && rig.sent.isEmpty)
        }
        #expect(answer("dark") == .unavailable && rig.sent.isEmpty)
        #expect(answer("gone") == .tryAgain && answer("nobody") == .notFound)
    }

    @Test("speaks with a node that knows a version of its own, and refuses one that knows none")
    func versions() throws {
        var rig = Rehearsal()
        rig.take(.members(Members(active: ["a"])))
        func hello(_ versions: [Int]) throws {
            rig.sent = []
            let hello = Hello(
                node: "a", instance: "i", capabilities: camera, cameraError: nil, lastUniqueID: UniqueID(rawValue: 0),
                versions: versions)
            try rig.from("a", .hello(hello))
        }
        try hello([WireVersion.current + 1, WireVersion.current + 2])
        guard case .rejected(let rejection)? = rig.messages("a").last else {
            Issue.record("it was not rejected")
            return
        }
        #expect(rejection.code == .versionMismatch && rejection.message.contains("update the older one"))
        rig.replies = []
        rig.take(.nodesRequested(rig.caller))
        guard case .nodes(let told)? = rig.replies.last else { throw CancellationError() }
        #expect(told.nodes.first?.problem == rejection.message, "its operator need not read logs")
        rig.now = rig.now + RigMachine.rejectionLimit
        rig.take(.nodesRequested(rig.caller))
        guard case .nodes(let later)? = rig.replies.last else { throw CancellationError() }
        #expect(later.nodes.first?.problem?.contains("has not been seen") == true, "by now it may be away")
        let error = WireError(.versionMismatch, "The peer speaks version 99.")
        rig.take(.unreadable(rig.peer("a"), user: "a", error))
        rig.take(.nodesRequested(rig.caller))
        guard case .nodes(let unread)? = rig.replies.last else { throw CancellationError() }
        #expect(unread.nodes.first?.problem == error.message)
        try hello([1, WireVersion.current + 2])
        #expect(rig.messages("a").contains { if case .welcome = $0 { true } else { false } })
    }

    @Test("leaves a node to the coordinator that began later, and says so")
    func superseded() throws {
        var rig = Rehearsal()
        rig.take(.members(Members(active: ["a"])))
        func hello(_ epoch: Int64) -> NodeMessage {
            .hello(
                Hello(
                    node: "a", instance: "i", capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0), epoch: epoch))
        }
        try rig.from("a", hello(6))
        guard case .rejected(let rejection)? = rig.messages("a").last else {
            Issue.record("it was not rejected")
            return
        }
        #expect(rejection.code == .superseded && rejection.message.contains("Stop one of the two"))
        try rig.from("a", hello(5))
        #expect(rig.messages("a").contains { if case .welcome = $0 { true } else { false } })
    }
}
