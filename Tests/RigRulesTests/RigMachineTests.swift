import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

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
        let earliest = rig.now + .milliseconds(100) + RigMachine.fireMargin
        let grid = FrameGrid(period: camera.frameDurationNanoseconds)
        #expect(rig.fires()[0].rigTime == grid.next(from: earliest), "on the grid that the frames lie on")
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

    @Test("never acknowledges a photo that the catalogue refused, and does not call its capture complete")
    func refusedPhoto() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.deliver("a", id)
        rig.isHoldingCommits = true
        rig.arrive("a")
        #expect(rig.state(id)?.state == .complete)
        rig.isHoldingCommits = false
        rig.take(.commitRefused([.photoStored(PhotoID(uniqueID: id, node: "a", photoCount: 1), path: "p", at: 1)]))
        #expect(rig.state(id)?.state == .failed && rig.failures() == [1])
        try rig.event("a", id, 6, .didFinishProcessingPhoto, photo: 1)
        #expect(!rig.acknowledged("a").contains(6))
    }

    @Test(
        "keeps where a part and a capture stand though the event that moved them is refused, with which they are committed"
    )
    func refusedEvent() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        rig.changes = []
        try rig.deliver("a", id)
        let event = try #require(
            rig.changes.first { if case .event(_, let event) = $0 { event.kind == .didFinishCapture } else { false } })
        let moved = rig.changes.filter {
            switch $0 {
            case .captureNodeState(id, node: "a", .owing, .collecting, nil), .captureState(id, .collecting, _, _, _):
                true
            default: false
            }
        }
        #expect(moved.count == 2)
        rig.changes = []
        rig.take(.commitRefused([event] + moved))
        #expect(rig.changes == moved)
        rig.changes = []
        for change in moved { rig.take(.commitRefused([change])) }
        #expect(rig.changes == [], "what is refused by itself is not offered again")
    }

    @Test("says why of a photo that is told of again and does not come again", arguments: [true, false])
    func toldAgain(isNodeLost: Bool) throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.deliver("a", id)
        if isNodeLost {
            try rig.from("a", .goodbye(Goodbye()))
            try rig.join("a")
        } else {
            rig.take(.photoFailed(rig.pulls[0].key, CaptureError(.transferFailed, "The library is full.")))
        }
        rig.changes = []
        try rig.event("a", id, 6, .didFinishProcessingPhoto, photo: 1)
        #expect(rig.failures() == [1], "its reason stays until it is stored: \(rig.changes)")
        rig.changes = []
        try rig.from("a", .goodbye(Goodbye()))
        #expect(!rig.failures().contains(1))
    }

    @Test("acknowledges again only what is written again, as the catalogue may refuse what is on its way to it")
    func acknowledgedAgain() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.deliver("a", id)
        rig.arrive("a")
        rig.changes = []
        try rig.event("a", id, 6, .didFinishProcessingPhoto, photo: 1)
        try rig.event("a", id, 8, .didFinishCapture)
        let written = rig.changes.map { change in
            switch change {
            case .event(_, let event): "event \(event.sequence)"
            case .photoStored(let photo, _, _): "photo \(photo.photoCount)"
            default: "\(change)"
            }
        }
        #expect(written == ["event 6", "photo 1", "event 8"])
    }

    @Test("takes a photo whose node had told of an error before")
    func photoAfterError() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        let error = CaptureError(.operationCancelled, "It was stopped.")
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1, error: error)
        rig.changes = []
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1)
        let told = rig.changes.compactMap { if case .event(_, let event) = $0 { event.photo?.file } else { nil } }
        #expect(told.count == 1 && rig.pulls.last?.file == told.first)
    }

    @Test("lets a node forget only what is archived")
    func archiveBeforeAcknowledgement() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        rig.isHoldingArchives = true
        try rig.deliver("a", id)
        rig.arrive("a")
        #expect(rig.acknowledged("a").sorted() == [1, 2, 3, 4, 5, 6, 8], "the last one waits")
        try rig.event("a", id, 8, .didFinishCapture)
        #expect(rig.acknowledged("a").count == 7, "also when another is told again")
        rig.finishArchives()
        #expect(Set(rig.acknowledged("a")) == Set(1...8))
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

    @Test("keeps where each node's part stands as soon as it stands elsewhere")
    func parts() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.prepared("b", id)
        func kept(_ node: NodeName) -> [CaptureState] {
            rig.changes.compactMap {
                if case .captureNodeState(id, node: node, _, let state, _) = $0 { state } else { nil }
            }
        }
        try rig.deliver("a", id)
        rig.arrive("a")
        #expect(kept("a") == [.firing, .collecting, .complete])
        try rig.event("b", id, 1, .willBeginCapture)
        rig.take(.tick)
        for _ in 0..<4 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            rig.take(.tick)
        }
        #expect(kept("b").contains(.failed) && rig.state(id)?.state == .failed)
        try rig.join("b")
        try rig.event("b", id, 2, .willCapturePhoto)
        #expect(kept("b").last == .firing)
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

    @Test("blames no node for what the catalogue takes long for")
    func busyCatalogue() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        try rig.event("a", id, 1, .willBeginCapture)
        for second in 1...120 {
            rig.now = rig.now + .seconds(1)
            try rig.beat("a")
            if second <= 60 { rig.take(.catalogueIsBusy) }
            rig.take(.tick)
            #expect(rig.failures("a").isEmpty == (second <= 90))
        }
    }

    @Test(
        "does without a node that is taken out of it in the middle of a capture, and has what it brings if it is back")
    func takenOut() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.bestEffort).get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        rig.take(.members(Members(active: ["a"])))
        #expect(rig.reports.last == "Node b does not belong to the rig any more.")
        #expect(rig.failures("b").map(\.code) == [.nodeUnreachable, .nodeUnreachable] && rig.failures("a").isEmpty)
        rig.sent = []
        try rig.beat("b")
        #expect(rig.messages("b").allSatisfy { if case .rejected = $0 { true } else { false } })
        try rig.deliver("a", id)
        rig.arrive("a")
        #expect(rig.state(id)?.state == .partial)
        try rig.join("b")
        try rig.deliver("b", id)
        rig.arrive("b")
        #expect(rig.state(id)?.state == .complete)
    }

    @Test("asks nothing new of a node that is retired, but has what it still brings")
    func retired() throws {
        var rig = Rehearsal()
        try rig.join("a", "b")
        let id = try rig.fire(.all).get()
        for node in ["a", "b"] as [NodeName] { try rig.prepared(node, id) }
        rig.take(.members(Members(active: ["a"], retired: ["b"])))
        for node in ["a", "b"] as [NodeName] {
            try rig.deliver(node, id)
            rig.arrive(node)
        }
        #expect(rig.state(id)?.state == .complete)
        let next = try rig.fire(.all, request: "next").get()
        #expect(rig.messages("b").allSatisfy { if case .prepare(let it) = $0 { it.uniqueID != next } else { true } })
        #expect(rig.machine.captures(countingOn: "a") == [next] && rig.machine.captures(countingOn: "b").isEmpty)
        let source = try rig.fire(.all, request: "source") { $0.metering = .node("b") }
        #expect(throws: Refusal.self) { try source.get() }
        // An appointment that was made with it is kept.
        rig.take(.members(Members(active: ["a", "b"])))
        let later = try rig.fire(.all, request: "later", at: .seconds(60)).get()
        rig.now = rig.now + .seconds(55)
        try rig.join("a", "b")
        rig.take(.members(Members(active: ["a"], retired: ["b"])))
        rig.sent = []
        rig.take(.tick)
        #expect(rig.messages("b").contains { if case .prepare(let it) = $0 { it.uniqueID == later } else { false } })
        rig.take(.members(Members(active: [], retired: ["a", "b"])))
        #expect(throws: Refusal.self) { try rig.fire(.bestEffort, request: "nobody").get() }
    }

    @Test("gives a node another name only when nothing waits under the one that it has")
    func renamed() throws {
        var rig = Rehearsal()
        rig.take(.members(Members(active: ["ghost"])))
        #expect(rig.machine.objection(toRenaming: "ghost")?.code == .tryAgain)
        try rig.join("a")
        #expect(rig.machine.objection(toRenaming: "a")?.code == .tryAgain, "it has not said what it keeps")
        func keeps(_ count: Int) throws { try rig.from("a", .heartbeat(Heartbeat(keepsCount: count))) }
        try keeps(1)
        #expect(rig.machine.objection(toRenaming: "a")?.code == .tryAgain)
        try keeps(0)
        #expect(rig.machine.objection(toRenaming: "a") == nil)
        try rig.join("a")
        #expect(rig.machine.objection(toRenaming: "a") != nil, "what it said before it came back counts no more")
        try keeps(0)
        let id = try rig.fire(.bestEffort).get()
        #expect(rig.machine.objection(toRenaming: "a")?.message.contains("\(id)") == true)
    }

    @Test("refuses before anything is done, and names each node with its reason")
    func refusals() throws {
        var rig = Rehearsal()
        rig.take(.members(Members(active: ["ghost"])))
        try rig.join("a")
        func refusal(_ plan: Plan) throws -> Refusal {
            rig.replies = []
            rig.take(
                .fireRequested(
                    rig.caller, FireRequest(requestID: "x", plan: plan, session: nil, labels: [:]), freeBytes: 1 << 40))
            guard case .refused(let refusal)? = rig.replies.first else { throw CancellationError() }
            return refusal
        }
        let tooMany = try refusal(Plan(name: "p", bracket: try .burst(9), policy: .bestEffort))
        #expect(tooMany.code == .invalid && tooMany.says("a: ") && tooMany.says("at most 8"))
        let raw = try refusal(Plan(name: "p", bracket: try .burst(1), formats: [.dng], policy: .bestEffort))
        #expect(raw.code == .invalid && raw.says("dng"))
        rig.take(.members(Members(active: ["a", "ghost"])))
        let absent = try refusal(Plan(name: "p", bracket: try .burst(1)))
        #expect(absent.code == .unavailable && absent.says("ghost: Node ghost has not been seen"))
        let many = try refusal(Plan(name: "p", bracket: try .burst(1), policy: .atLeast(3)))
        #expect(many.code == .invalid && many.says("wants 3 nodes"))
        rig.take(.members(Members(active: ["a"])))
        let clock = ClockReport(estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
        func full(_ steps: Int, free: Int64) throws -> Refusal {
            try rig.from("a", .heartbeat(Heartbeat(clock: clock, spoolFreeBytes: free)))
            return try refusal(Plan(name: "p", bracket: try .burst(steps), policy: .bestEffort))
        }
        let photo = camera.largestPhotoByteCount(of: [.jpeg])
        let tooLittle = 16 << 20 + 2 * photo - 1
        let fewer = try full(2, free: tooLittle)
        #expect(fewer.code == .tryAgain && fewer.says("The spool of node a may take \(tooLittle >> 20) MiB more"))
        #expect(try full(1, free: 0).code == .tryAgain)
        rig.take(.nodesRequested(rig.caller))
        guard case .nodes(let answer)? = rig.replies.last else { throw CancellationError() }
        #expect(answer.nodes.map(\.state) == [.spoolFull])
        #expect(!rig.changes.contains { if case .capture = $0 { true } else { false } })
    }

    @Test("refuses a full library, and a capture that the catalogue cannot take")
    func full() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let plan = Plan(name: "p", bracket: try .burst(2))
        rig.take(
            .fireRequested(
                rig.caller, FireRequest(requestID: "f", plan: plan, session: nil, labels: [:]), freeBytes: 1000))
        guard case .refused(let refusal)? = rig.replies.last else { throw CancellationError() }
        #expect(refusal.code == .tryAgain && refusal.says("library is full"))
        rig.isHoldingCommits = true
        rig.replies = []
        let request = FireRequest(requestID: "g", plan: plan, session: nil, labels: [:])
        rig.take(.fireRequested(rig.caller, request, freeBytes: 1 << 40))
        rig.take(.fireRequested(rig.caller, request, freeBytes: 1 << 40))
        #expect(rig.replies.isEmpty, "nobody knows yet, and who asks again waits as well")
        rig.take(.acceptFailed(try #require(rig.accepting), reason: "why"))
        #expect(rig.replies.count == 2)
        for case .fired in rig.replies { Issue.record("nothing of it may happen") }
        #expect(rig.messages("a").allSatisfy { if case .prepare = $0 { false } else { true } })
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
        rig.take(.cancelRequested(rig.caller, id))
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
        #expect(refusal.code == .tryAgain && refusal.says("busy with capture \(id)"))
        try rig.deliver("a", id)
        _ = try rig.fire(.all, request: "third").get()
    }

    @Test("cancels: what is under way is given up, and the capture still ends")
    func cancels() throws {
        var rig = Rehearsal()
        try rig.join("a")
        let id = try rig.fire(.all).get()
        try rig.prepared("a", id)
        rig.take(.cancelRequested(rig.caller, id))
        #expect(rig.messages("a").last == .cancel(Cancel(uniqueID: id)))
        #expect(rig.state(id)?.state == .firing)
        let error = CaptureError(.operationCancelled, "cancelled")
        try rig.event("a", id, 1, .didFinishProcessingPhoto, photo: 1, error: error)
        try rig.event("a", id, 2, .didFinishProcessingPhoto, photo: 2, error: error)
        try rig.event("a", id, 3, .didFinishCapture)
        #expect(rig.state(id)?.state == .cancelled)
    }
}
