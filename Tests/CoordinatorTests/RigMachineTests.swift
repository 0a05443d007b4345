import CaptureModel
import Catalogue
import Coordinator
import PhotoStore
import RigClock
import RigProtocol
import Testing

private let camera = CameraCapabilities(
    cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
    dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: 33_000_000, formats: [.jpeg],
    maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))

/// A rig in virtual time: effects are collected, commits succeed at once unless they are held.
private struct Rehearsal {
    var machine = RigMachine(lastUniqueID: UniqueID(rawValue: 0), clockPort: 1, bulkPort: 2)
    var now = RigTime(nanoseconds: .seconds(1000))
    var wallClock: Int64 = 1_800_000_000_000_000
    let client = Peer(routingID: [0])
    var sent: [(message: CoordinatorMessage, node: String)] = []
    var replies: [OperatorReply] = []
    var changes: [CatalogueChange] = []
    var pulls: [PhotoPull] = []
    var isHoldingCommits = false
    var held: [[RigEffect]] = []

    func peer(_ node: String) -> Peer { Peer(routingID: Array(node.utf8)) }

    mutating func take(_ input: RigInput) {
        perform(machine.handle(input, now: now, wallClock: wallClock))
    }

    private mutating func perform(_ effects: [RigEffect]) {
        for effect in effects {
            switch effect {
            case .send(let message, let peer): sent.append((message, String(decoding: peer.routingID, as: UTF8.self)))
            case .reply(let reply, _): replies.append(reply)
            case .commit(let more, let then), .accept(_, let more, let then, _):
                changes += more
                if isHoldingCommits { held.append(then) } else { perform(then) }
            case .pull(let pull): pulls.append(pull)
            case .publish, .stopPulling, .load, .report: break
            }
        }
    }

    mutating func from(_ node: String, _ message: NodeMessage) throws {
        take(.fromNode(peer(node), user: try #require(NodeName(node)), message))
    }

    mutating func join(_ nodes: String...) throws {
        take(.members(try nodes.map { try #require(NodeName($0)) }))
        for node in nodes {
            try from(
                node,
                .hello(
                    Hello(
                        node: node, instance: "i", capabilities: camera, cameraError: nil,
                        lastUniqueID: UniqueID(rawValue: 0))))
            try beat(node)
        }
    }

    mutating func beat(_ node: String) throws {
        let clock = ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1)
        try from(node, .heartbeat(Heartbeat(clock: clock)))
    }

    /// Fires a burst of two, and answers the id, or the refusal.
    mutating func fire(_ policy: CapturePolicy, request: String = "r") throws -> Result<UniqueID, Refusal> {
        let plan = Plan(name: "p", bracket: try .burst(2), policy: policy)
        replies = []
        take(
            .fireRequested(
                client, FireRequest(requestID: request, plan: plan, session: nil, labels: [:]), freeBytes: 1 << 40))
        switch try #require(replies.first) {
        case .fired(let reply): return .success(reply.uniqueID)
        case .refused(let refusal): return .failure(refusal)
        case .nodes: throw CancellationError()
        }
    }

    mutating func prepared(_ node: String, _ id: UniqueID) throws {
        let settings = ResolvedPhotoSettings(
            uniqueID: id, photoDimensions: camera.dimensions, rawPhotoDimensions: .zero, expectedPhotoCount: 2,
            exposures: [])
        let timing = CaptureTiming(leadNanoseconds: .milliseconds(100), spanNanoseconds: .milliseconds(66))
        try from(node, .prepared(Prepared(uniqueID: id, settings: settings, timing: timing)))
    }

    mutating func event(
        _ node: String, _ id: UniqueID, _ sequence: Int, _ kind: CaptureEventKind, photo: Int? = nil,
        error: CaptureError? = nil, change: (inout CaptureEvent) -> Void = { _ in }
    ) throws {
        var record: PhotoRecord?
        if let photo {
            let step = ResolvedExposure(sequenceCount: photo, exposureTargetBias: nil, duration: nil, iso: nil)
            record = PhotoRecord(photoCount: photo, sequenceCount: photo, format: .jpeg, requested: step)
            record?.error = error
            if error == nil {
                record?.file = PhotoFile(
                    byteCount: 10, sha256: String(repeating: "a", count: 64), dimensions: camera.dimensions,
                    imageUniqueID: "x")
            }
        }
        var event = CaptureEvent(
            uniqueID: id, sequence: sequence, kind: kind, time: MonotonicTime(nanoseconds: 1), sequenceCount: photo,
            photo: record)
        change(&event)
        try from(node, .event(EventReport(event: event)))
    }

    /// All events of a burst of two; the photos are then pulled.
    mutating func deliver(_ node: String, _ id: UniqueID) throws {
        try event(node, id, 1, .willBeginCapture)
        for step in 1...2 {
            try event(node, id, step * 2, .willCapturePhoto)
            try event(node, id, step * 2 + 1, .didCapturePhoto)
        }
        try event(node, id, 6, .didFinishProcessingPhoto, photo: 1)
        try event(node, id, 7, .didFinishProcessingPhoto, photo: 2)
        try event(node, id, 8, .didFinishCapture)
    }

    mutating func arrive(_ node: String) {
        for pull in pulls where pull.key.node == node { take(.photoArrived(pull.key, path: pull.path)) }
        pulls.removeAll { $0.key.node == node }
    }

    func state(_ id: UniqueID) -> (state: CaptureState, reason: String?)? {
        for change in changes.reversed() {
            if case .captureState(id, let state, let reason, _, _) = change { return (state, reason) }
        }
        return nil
    }

    func failures(_ node: String) -> [CaptureError] {
        changes.compactMap { if case .photoFailed(_, node, _, _, _, let error) = $0 { error } else { nil } }
    }

    func messages(_ node: String) -> [CoordinatorMessage] { sent.filter { $0.node == node }.map(\.message) }

    func fires() -> [Fire] {
        sent.compactMap { if case .fire(let fire) = $0.message { fire } else { nil } }
    }

    func acknowledged(_ node: String) -> [Int] {
        messages(node).flatMap { if case .stored(let stored) = $0 { stored.sequences } else { [Int]() } }
    }
}

extension Refusal {
    fileprivate func says(_ text: String) -> Bool { message.contains(text) || details.contains { $0.contains(text) } }
}

@Suite("A coordinator")
struct RigMachineTests {
    @Test("fires all nodes at one instant when all are ready, and completes when all is stored")
    func complete() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        #expect(rig.messages("a").contains { if case .prepare = $0 { true } else { false } })
        try rig.prepared("a", id)
        #expect(rig.fires().isEmpty, "one is not all")
        try rig.prepared("b", id)
        #expect(rig.fires().count == 2 && Set(rig.fires().map(\.rigTime)).count == 1)
        #expect(rig.fires()[0].rigTime - rig.now == .milliseconds(100) + RigMachine.fireMargin)
        try rig.deliver("a", id)
        rig.arrive("a")
        #expect(rig.state(id)?.state == .firing)
        try rig.deliver("b", id)
        #expect(rig.state(id)?.state == .collecting)
        rig.arrive("b")
        #expect(rig.state(id)?.state == .complete)
        #expect(rig.acknowledged("a").sorted() == Array(1...8))
    }

    @Test("acknowledges nothing before it is committed")
    func order() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        rig.isHoldingCommits = true
        try rig.deliver("a", id)
        #expect(rig.acknowledged("a").isEmpty && rig.pulls.isEmpty)
    }

    @Test("acknowledges a photo only when it is in the library")
    func photoBeforeAcknowledgement() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.deliver("a", id)
        #expect(rig.acknowledged("a").sorted() == [1, 2, 3, 4, 5, 8])
        try rig.event("a", id, 6, .didFinishProcessingPhoto, photo: 1)
        #expect(rig.acknowledged("a").sorted() == [1, 2, 3, 4, 5, 8], "also when it is told again")
        rig.arrive("a")
        #expect(rig.acknowledged("a").sorted() == Array(1...8))
        try rig.event("a", id, 6, .didFinishProcessingPhoto, photo: 1)
        #expect(rig.acknowledged("a").filter { $0 == 6 }.count == 2, "an acknowledgement may be lost")
    }

    @Test(
        "settles the debt of a node that dies, as the policy says, and revises it when the node comes back",
        arguments: [
            (CapturePolicy.all, CaptureState.failed), (.bestEffort, .partial), (.atLeast(1), .partial),
            (.atLeast(2), .failed),
        ])
    func death(policy: CapturePolicy, state: CaptureState) throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(policy).get()
        try rig.prepared("a", id)
        try rig.prepared("b", id)
        try rig.deliver("a", id)
        rig.arrive("a")
        try rig.event("b", id, 1, .willBeginCapture)
        for _ in 0..<4 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
        #expect(rig.state(id)?.state == state)
        #expect(rig.state(id)?.reason?.contains("b: ") == true)
        #expect(rig.failures("b").map(\.code) == [.nodeUnreachable, .nodeUnreachable])
        // It is back, and says everything again.
        try rig.join("b")
        try rig.deliver("b", id)
        rig.arrive("b")
        #expect(rig.state(id)?.state == .complete)
    }

    @Test("fires nothing when a policy is not met after all")
    func refusedLater() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.from("b", .refused(Refused(uniqueID: id, error: CaptureError(.diskFull, "no room"))))
        #expect(rig.fires().isEmpty)
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.state(id)?.reason?.contains("no room") == true)
        #expect(rig.messages("a").last == .cancel(Cancel(uniqueID: id)))
    }

    @Test("gives up nodes that do not answer a prepare, or make no progress")
    func deadlines() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        func wait(_ nanoseconds: Int64) throws {
            let end = rig.now + nanoseconds
            while rig.now < end {
                rig.now = rig.now + .seconds(1)
                try rig.beat("a")
                try rig.beat("b")
                rig.take(.tick)
            }
        }
        let id = try rig.fire(.bestEffort).get()
        try rig.prepared("a", id)
        try wait(RigMachine.prepareLimit + .seconds(1))
        #expect(rig.fires().count == 1, "the one that answered fires")
        try rig.event("a", id, 1, .willBeginCapture)
        // It repeats itself, which is no progress.
        for _ in 0..<7 {
            try wait(.seconds(5))
            try rig.event("a", id, 1, .willBeginCapture)
        }
        #expect(rig.state(id)?.state == .failed)
        #expect(rig.failures("a").allSatisfy { $0.code == .stalled } && rig.failures("a").count == 2)
    }

    @Test("refuses before anything is done, and names each node with its reason")
    func refusals() throws {
        var rig = Rehearsal()
        rig.take(.members([try #require(NodeName("ghost"))]))
        try rig.join("a")
        func refusal(_ plan: Plan) throws -> Refusal {
            rig.replies = []
            rig.take(
                .fireRequested(
                    rig.client, FireRequest(requestID: "x", plan: plan, session: nil, labels: [:]), freeBytes: 1 << 40))
            guard case .refused(let refusal)? = rig.replies.first else { throw CancellationError() }
            return refusal
        }
        let tooMany = try refusal(Plan(name: "p", bracket: try .burst(9), policy: .bestEffort))
        #expect(tooMany.exitCode == 65 && tooMany.says("a: ") && tooMany.says("at most 8"))
        let raw = try refusal(Plan(name: "p", bracket: try .burst(1), formats: [.dng], policy: .bestEffort))
        #expect(raw.exitCode == 65 && raw.says("dng"))
        rig.take(.members([try #require(NodeName("a")), try #require(NodeName("ghost"))]))
        let absent = try refusal(Plan(name: "p", bracket: try .burst(1)))
        #expect(absent.exitCode == 69 && absent.says("ghost: Node ghost has not been seen"))
        let many = try refusal(Plan(name: "p", bracket: try .burst(1), policy: .atLeast(3)))
        #expect(many.exitCode == 65 && many.says("wants 3 nodes"))
        #expect(!rig.changes.contains { if case .capture = $0 { true } else { false } })
    }

    @Test("fires the same request once")
    func idempotent() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let first = try rig.fire(.all, request: "same").get()
        let second = try rig.fire(.all, request: "same").get()
        #expect(first == second)
        #expect(rig.messages("a").filter { if case .prepare = $0 { true } else { false } }.count == 1)
    }

    @Test("refuses a full library, and a capture that the catalogue cannot take")
    func full() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let plan = Plan(name: "p", bracket: try .burst(2))
        rig.take(
            .fireRequested(
                rig.client, FireRequest(requestID: "f", plan: plan, session: nil, labels: [:]), freeBytes: 1000))
        guard case .refused(let refusal)? = rig.replies.last else { throw CancellationError() }
        #expect(refusal.exitCode == 75 && refusal.says("library is full"))
        rig.isHoldingCommits = true
        rig.replies = []
        rig.take(
            .fireRequested(
                rig.client, FireRequest(requestID: "g", plan: plan, session: nil, labels: [:]), freeBytes: 1 << 40))
        #expect(rig.replies.isEmpty && rig.messages("a").allSatisfy { if case .prepare = $0 { false } else { true } })
    }

    @Test("admits one node of a name, under its own key")
    func names() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let name = try #require(NodeName("a"))
        func hello(_ node: String, _ instance: String) -> NodeMessage {
            .hello(
                Hello(
                    node: node, instance: instance, capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0)))
        }
        func answer(_ message: NodeMessage) -> Rejected.Code? {
            rig.sent = []
            rig.take(.fromNode(Peer(routingID: [9]), user: name, message))
            if case .rejected(let rejected)? = rig.sent.last?.message { return rejected.code }
            return nil
        }
        #expect(answer(hello("b", "other")) == .nameNotYours)
        #expect(answer(hello("a", "other")) == .nameInUse)
        #expect(answer(.heartbeat(Heartbeat())) == .unknownNode)
        rig.now = rig.now + RigMachine.liveness + 1
        #expect(answer(hello("a", "other")) == nil, "the first one is gone")
    }

    @Test("does not trust numbers from outside")
    func hostile() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        let before = rig.changes.count
        for sequence in [0, -1, .min, .max, 100] { try rig.event("a", id, sequence, .didFinishCapture) }
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 3)
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: -3)
        try rig.event("a", id, 1, .didFinishProcessingPhoto)
        try rig.event("a", id, 1, .willBeginCapture) { $0.rigTime = RigTime(nanoseconds: .max) }
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1) {
            $0.photo?.file = PhotoFile(
                byteCount: .max, sha256: String(repeating: "a", count: 64), dimensions: camera.dimensions,
                imageUniqueID: "x")
        }
        #expect(rig.changes.count == before)
        try rig.from(
            "a",
            .hello(
                Hello(
                    node: "a", instance: "i", capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: .max))))
        try rig.beat("a")
        rig.take(.cancelRequested(rig.client, id))
        try rig.event("a", id, 1, .didFinishCapture)
        #expect(try rig.fire(.all, request: "next").get().rawValue < 1_900_000_000_000_000)
    }

    @Test("refuses to fire while a node is busy, and is free again when its exposures are over")
    func busy() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        guard case .failure(let refusal) = try rig.fire(.all, request: "second") else {
            Issue.record("expected a refusal")
            return
        }
        #expect(refusal.exitCode == 75 && refusal.says("busy with capture \(id)"))
        try rig.deliver("a", id)
        _ = try rig.fire(.all, request: "third").get()
    }

    @Test("settles at once what a node that comes back remembers nothing of")
    func forgotten() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.from("a", .goodbye(Goodbye()))
        #expect(rig.state(id)?.state == .failed)
        var other = Rehearsal()
        try other.join("a")
        let next = try other.fire(.all).get()
        try other.prepared("a", next)
        other.now = other.now + RigMachine.liveness + 1
        try other.from(
            "a",
            .hello(
                Hello(
                    node: "a", instance: "new", capabilities: camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0))))
        #expect(other.state(next)?.state == .failed)
        #expect(other.state(next)?.reason?.contains("without anything") == true)
    }

    @Test("cancels: what is under way is given up, and the capture still ends")
    func cancels() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        rig.take(.cancelRequested(rig.client, id))
        #expect(rig.messages("a").last == .cancel(Cancel(uniqueID: id)))
        #expect(rig.state(id)?.state == .firing)
        let error = CaptureError(.operationCancelled, "cancelled")
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1, error: error)
        try rig.event("a", id, 2, .didFinishProcessingPhoto, photo: 2, error: error)
        try rig.event("a", id, 3, .didFinishCapture)
        #expect(rig.state(id)?.state == .cancelled)
    }
}
