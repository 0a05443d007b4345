import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

private let id = UniqueID(rawValue: 100)
private let exposures = (1...2).map {
    ResolvedExposure(sequenceCount: $0, exposureTargetBias: nil, duration: nil, iso: nil)
}
private let settings = ResolvedPhotoSettings(
    uniqueID: id, photoDimensions: Dimensions(width: 4, height: 4), rawPhotoDimensions: .zero, expectedPhotoCount: 2,
    exposures: exposures)
private let resolution = NodeMachine.Resolution(
    settings: settings,
    timing: CaptureTiming(leadNanoseconds: .milliseconds(100), stepNanoseconds: [0, 0], frameDurationNanoseconds: 1))
private let nodeCamera = CameraCapabilities(
    cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
    dimensions: Dimensions(width: 4, height: 4), frameDurationNanoseconds: 1, formats: [.jpeg],
    maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))

/// A node in virtual time.
private struct NodeRehearsal {
    var machine = NodeMachine(name: "north", instance: "i1")
    var now = MonotonicTime(nanoseconds: .seconds(1000))
    var clock = ClockEstimate(
        status: .active, offsetNanoseconds: .seconds(5), boundNanoseconds: 1000,
        asOf: MonotonicTime(nanoseconds: .seconds(1000)))

    mutating func take(_ input: NodeMachine.Input) -> [NodeMachine.Effect] {
        machine.handle(input, now: now, clock: ClockReport(estimate: clock))
    }

    mutating func join() {
        _ = take(.cameraReady(nodeCamera))
        _ = take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2))))
    }

    mutating func prepare(_ id: UniqueID = id) throws -> [NodeMachine.Effect] {
        take(.received(.prepare(Prepare(uniqueID: id, plan: Plan(name: "p", bracket: try .burst(2))))))
    }

    /// The rig time that is `milliseconds` from now.
    func rigTime(_ milliseconds: Int64) -> RigTime {
        clock.rigTime(at: now + .milliseconds(milliseconds))
    }

    mutating func fire(in milliseconds: Int64) -> [NodeMachine.Effect] {
        take(.received(.fire(Fire(uniqueID: id, rigTime: rigTime(milliseconds)))))
    }

    mutating func capture(_ kind: CaptureEventKind, step: Int? = nil, file: Bool = false, told: RigTime? = nil)
        throws -> CaptureEvent
    {
        var event = NodeMachine.CapturedEvent(uniqueID: id, kind: kind, time: now)
        event.sequenceCount = step
        if kind == .willBeginCapture { event.resolvedSettings = settings }
        if let step, kind == .didFinishProcessingPhoto {
            var photo = PhotoRecord(
                photoCount: step, sequenceCount: step, format: .jpeg, requested: exposures[step - 1])
            if file {
                photo.file = PhotoFile(
                    byteCount: 1, sha256: "", dimensions: Dimensions(width: 1, height: 1), imageUniqueID: "")
            }
            let start = ExposureStart(time: now, uncertaintyNanoseconds: 50, source: .startOfExposure)
            photo.exposureStart = start
            if let told { photo.tellStart(start, told, within: 90_000) }
            event.photo = photo
        }
        let effects = take(.captured(event))
        return try #require(
            effects.compactMap { if case .journal(let journalled) = $0 { journalled } else { nil } }.first)
    }
}

private func sent(_ effects: [NodeMachine.Effect]) -> [NodeMessage] {
    effects.compactMap { if case .send(let message) = $0 { message } else { nil } }
}

private func refusal(_ effects: [NodeMachine.Effect]) -> CaptureError.Code? {
    sent(effects).compactMap { if case .refused(let refused) = $0 { refused.error.code } else { nil } }.first
}

@Suite("A node")
struct NodeMachineTests {
    @Test("is called what the coordinator calls it, and what it plans to do is meant for that name")
    func named() throws {
        var node = NodeRehearsal()
        var welcome = Welcome(clockPort: 1, bulkPort: 2)
        let own: NodeName = "north"
        _ = node.take(.received(.welcome(welcome)))
        #expect(node.machine.name == own, "an earlier release does not say")
        welcome.node = "door"
        _ = node.take(.received(.welcome(welcome)))
        #expect(node.machine.name == "door")
    }

    @Test("says hello until it is welcomed, and again when the coordinator falls silent")
    func hello() {
        var node = NodeRehearsal()
        #expect(sent(node.take(.tick)).count == 1)
        #expect(sent(node.take(.tick)).isEmpty, "once a second is enough")
        node.join()
        node.now = node.now + .seconds(2)
        guard case .heartbeat? = sent(node.take(.tick)).first else {
            Issue.record("a member sends heartbeats")
            return
        }
        node.now = node.now + .seconds(2)
        guard case .hello? = sent(node.take(.tick)).first else {
            Issue.record("expected a hello")
            return
        }
    }

    @Test("prepares, answers, and fires at the instant of rig time on its own clock")
    func fires() throws {
        var node = NodeRehearsal()
        node.join()
        #expect(try node.prepare() == [.prepare(Prepare(uniqueID: id, plan: Plan(name: "p", bracket: try .burst(2))))])
        guard case .prepared? = sent(node.take(.resolved(id, .success(resolution)))).first else {
            Issue.record("expected prepared")
            return
        }
        #expect(node.fire(in: 500) == [.fire(id, at: node.now + .milliseconds(500), stepOffsets: [])])
        #expect(node.fire(in: 500).isEmpty, "the same order twice fires once")
        #expect(try node.prepare().isEmpty, "an id is used once")
    }

    @Test("takes an appointment's id also after a later one, and none twice")
    func appointmentID() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare(UniqueID(rawValue: 200))
        _ = node.take(.received(.cancel(Cancel(uniqueID: UniqueID(rawValue: 200)))))
        #expect(try node.prepare(UniqueID(rawValue: 150)).count == 1)
        _ = node.take(.received(.cancel(Cancel(uniqueID: UniqueID(rawValue: 150)))))
        #expect(try node.prepare(UniqueID(rawValue: 150)).isEmpty)
    }

    @Test("answers a repeated prepare again")
    func repeated() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        let first = node.take(.resolved(id, .success(resolution)))
        #expect(try node.prepare() == first)
    }

    @Test("tells no capture in two coordinators' rig times")
    func otherRigTime() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        _ = node.fire(in: 500)
        let before = try node.capture(.didFinishProcessingPhoto, step: 1, file: true)
        #expect(before.photo?.exposureStartRigTime == node.rigTime(0) && before.rigTime == node.rigTime(0))
        // The coordinator's board was replaced by one that has run for three weeks.
        node.clock.offsetNanoseconds += .seconds(21 * 86_400)
        let after = try node.capture(.didFinishProcessingPhoto, step: 2, file: true)
        #expect(after.photo?.exposureStartRigTime == nil && after.rigTime == nil)
        #expect(after.photo?.exposureStartUncertaintyNanoseconds == nil)
    }

    @Test("tells a photo's start as its file does, unless a clock has stepped since")
    func toldRigTime() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        _ = node.fire(in: 500)
        // The clock was known worse when the file was encoded.
        let file = node.rigTime(0) + 40_000
        let told = try node.capture(.didFinishProcessingPhoto, step: 1, file: true, told: file)
        #expect(told.photo?.exposureStartRigTime == file && told.photo?.exposureStartUncertaintyNanoseconds == 90_050)
        let other = node.rigTime(0) + .milliseconds(300)
        let stepped = try node.capture(.didFinishProcessingPhoto, step: 2, file: true, told: other)
        #expect(stepped.photo?.exposureStartRigTime == node.rigTime(0))
        let known = node.clock.boundNanoseconds + 50
        #expect(stepped.photo?.exposureStartUncertaintyNanoseconds == known)
        // Rig time is not known any more, and the file cannot know it better.
        node.clock = .unavailable
        let unknown = try node.capture(.didFinishProcessingPhoto, step: 2, file: true, told: file)
        #expect(unknown.photo?.exposureStartRigTime == nil && unknown.photo?.exposureStartSource == nil)
        #expect(unknown.photo?.exposureStartUncertaintyNanoseconds == nil)
    }

    @Test("refuses an order that it can no longer meet, with its lateness")
    func late() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        let effects = node.fire(in: 40)
        #expect(refusal(effects) == .firedTooLate)
        #expect(effects.first == .abandon(id))
        #expect(sent(effects).contains { "\($0)".contains("61 ms") })
    }

    @Test("refuses without a camera, without rig time, and while it is busy")
    func refuses() throws {
        var node = NodeRehearsal()
        _ = node.take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2))))
        #expect(refusal(try node.prepare()) == .deviceNotConnected)
        _ = node.take(.cameraReady(nodeCamera))
        node.clock.status = .calibrating
        #expect(refusal(try node.prepare(UniqueID(rawValue: 101))) == .clockNotSynchronised)
        node.clock.status = .active
        _ = try node.prepare(UniqueID(rawValue: 102))
        #expect(refusal(try node.prepare(UniqueID(rawValue: 103))) == .operationNotAllowed)
    }

    @Test("numbers events without a gap, sends them when they are durable, and keeps them until they are stored")
    func outbox() throws {
        var node = NodeRehearsal()
        node.join()
        let first = try node.capture(.willBeginCapture)
        let second = try node.capture(.willCapturePhoto, step: 1)
        #expect(first.sequence == 1 && second.sequence == 2)
        #expect(first.rigTime == node.clock.rigTime(at: node.now))
        #expect(sent(node.take(.journalled(first))) == [.event(EventReport(event: first))])
        _ = node.take(.journalled(second))
        // The connection breaks and comes back: everything goes out again.
        _ = node.take(.connectionLost)
        let again = sent(node.take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2)))))
        #expect(again == [.event(EventReport(event: first)), .event(EventReport(event: second))])
        _ = node.take(.received(.stored(Stored(uniqueID: id, sequences: [1]))))
        node.now = node.now + .seconds(3)
        _ = node.take(.received(.heartbeat(Heartbeat())))
        let left = sent(node.take(.tick)).filter { if case .event = $0 { true } else { false } }
        #expect(left == [.event(EventReport(event: second))])
    }

    @Test("sends an event again less often each time, which takes the place of its photo on a slow wire")
    func pauses() throws {
        var node = NodeRehearsal()
        node.join()
        _ = node.take(.journalled(try node.capture(.willBeginCapture)))
        func seconds(until end: Int) -> [Int] {
            (1...end).filter { _ in
                node.now = node.now + .seconds(1)
                _ = node.take(.received(.heartbeat(Heartbeat())))
                return sent(node.take(.tick)).contains { if case .event = $0 { true } else { false } }
            }
        }
        #expect(seconds(until: 40) == [3, 9, 21, 33])
        _ = node.take(.connectionLost)
        #expect(sent(node.take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2))))).count == 1)
        #expect(seconds(until: 10) == [3, 9])
    }

    @Test("obeys the coordinator that began last, and remembers it before it does what it says")
    func epochs() throws {
        var node = NodeRehearsal()
        _ = node.take(.cameraReady(nodeCamera))
        func welcome(_ epoch: Int64) -> NodeMachine.Input {
            .received(.welcome(Welcome(clockPort: 1, bulkPort: 2, epoch: epoch, history: 1)))
        }
        #expect(node.take(welcome(7)).first == .keepEpoch(7))
        #expect(!node.take(welcome(7)).contains(.keepEpoch(7)))
        // The other one is there as well.
        let refused = node.take(welcome(6))
        #expect(refused.count == 1)
        guard case .report(let report)? = refused.first else {
            Issue.record("it said nothing")
            return
        }
        #expect(report.words.contains("stop one of the two"))
        let first = try node.capture(.willBeginCapture)
        #expect(node.take(.journalled(first)).isEmpty, "it is not told what happens")
        #expect(node.take(welcome(8)).first == .keepEpoch(8))
        let hello = sent(node.take(.cameraReady(nodeCamera))).first
        guard case .hello(let said)? = hello else {
            Issue.record("no hello")
            return
        }
        #expect(said.epoch == 8)
    }

    @Test("says everything again to a coordinator whose catalogue is another one, also what was acknowledged")
    func otherHistory() throws {
        var node = NodeRehearsal()
        node.join()
        let events = [try node.capture(.willBeginCapture), try node.capture(.willCapturePhoto, step: 1)]
        for event in events { _ = node.take(.journalled(event)) }
        _ = node.take(.received(.stored(Stored(uniqueID: id, sequences: [1]))))
        let same = node.take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2, epoch: 1))))
        #expect(!same.contains(.recall))
        let other = node.take(.received(.welcome(Welcome(clockPort: 1, bulkPort: 2, epoch: 2, history: 9))))
        #expect(other.contains(.recall))
        node.now = node.now + .seconds(3)
        let again = sent(node.take(.recalled(events: events)))
        #expect(again == events.map { .event(EventReport(event: $0)) })
    }

    @Test("reclaims a photo when it is stored, and the capture when all of it is")
    func reclaims() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        _ = node.fire(in: 500)
        let photo = try node.capture(.didFinishProcessingPhoto, step: 1, file: true)
        _ = node.take(.journalled(photo))
        #expect(photo.photo?.exposureStartUncertaintyNanoseconds == 1050)
        let effects = node.take(.received(.stored(Stored(uniqueID: id, sequences: [photo.sequence]))))
        #expect(effects == [.reclaimPhoto(id, photoCount: 1)], "the capture itself goes on")
        let last = try node.capture(.didFinishCapture)
        _ = node.take(.journalled(last))
        #expect(
            node.take(.received(.stored(Stored(uniqueID: id, sequences: [last.sequence])))) == [.reclaimCapture(id)])
    }

    @Test("gives up a capture that was prepared but never fired")
    func expires() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        node.now = node.now + NodeMachine.preparedLimit + 1
        #expect(node.take(.tick).contains(.abandon(id)))
    }

    @Test("holds what it is told of again, as it is armed")
    func holds() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        for _ in 0..<3 {
            node.now = node.now + NodeMachine.preparedLimit / 2
            #expect(try node.prepare().count == 1, "the answer once more")
            #expect(!node.take(.tick).contains(.abandon(id)))
        }
        node.now = node.now + NodeMachine.preparedLimit + 1
        #expect(node.take(.tick).contains(.abandon(id)))
    }

    @Test("is free again when the core could not fire, and gives up a capture whose frames do not come")
    func stuck() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        _ = node.fire(in: 500)
        let error = CaptureError(.deviceWasDisconnected, "gone")
        #expect(refusal(node.take(.fireFailed(id, error))) == .deviceWasDisconnected)
        let next = UniqueID(rawValue: 101)
        _ = try node.prepare(next)
        _ = node.take(.resolved(next, .success(resolution)))
        _ = node.take(.received(.fire(Fire(uniqueID: next, rigTime: node.rigTime(500)))))
        node.now = node.now + .milliseconds(500) + NodeMachine.exposureLimit + 1
        let late = CaptureError(.stalled, "The camera did not deliver its exposures in time.")
        #expect(node.take(.tick).contains(.cancel(next, late)))
    }

    @Test("does not answer a flood of rejections with a flood of hellos, nor fires at a time that is no time")
    func flood() throws {
        var node = NodeRehearsal()
        node.join()
        node.now = node.now + .seconds(2)
        let rejection = NodeMachine.Input.received(.rejected(Rejected(.unknownNode, "x")))
        let hellos = (0..<100).flatMap { _ in sent(node.take(rejection)) }
        #expect(hellos.count == 1)
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        let effects = node.take(.received(.fire(Fire(uniqueID: id, rigTime: RigTime(nanoseconds: .min)))))
        #expect(refusal(effects) != nil)
        // A coordinator's board that was replaced by one that has run for a month.
        let other = UniqueID(rawValue: id.rawValue + 1)
        _ = try node.prepare(other)
        _ = node.take(.resolved(other, .success(resolution)))
        let far = node.clock.rigTime(at: node.now) + .seconds(30 * 86_400)
        #expect(refusal(node.take(.received(.fire(Fire(uniqueID: other, rigTime: far))))) == .operationNotAllowed)
    }

    @Test("refuses a plan whose times no operator could have meant")
    func impossiblePlan() throws {
        var node = NodeRehearsal()
        node.join()
        var plan = Plan(name: "p", bracket: try .burst(2))
        plan.offsets = [FiringOffset(nodes: "*", nanoseconds: .max)]
        #expect(
            refusal(node.take(.received(.prepare(Prepare(uniqueID: id, plan: plan))))) == .unsupportedSettings)
        #expect(try !node.prepare().isEmpty, "the next one is taken")
    }

    @Test("pays what it owes after a restart, with errors, and never uses the id again")
    func recovers() throws {
        var before = NodeRehearsal()
        let events = [
            try before.capture(.willBeginCapture), try before.capture(.willCapturePhoto, step: 1),
            try before.capture(.didCapturePhoto, step: 1),
            try before.capture(.didFinishProcessingPhoto, step: 1, file: true),
        ]
        var node = NodeRehearsal()
        let owed = node.take(.recovered(events: events)).compactMap { effect -> CaptureEvent? in
            if case .journal(let event) = effect { event } else { nil }
        }
        #expect(owed.map(\.sequence) == [5, 6, 7, 8])
        #expect(
            owed.map(\.kind) == [.willCapturePhoto, .didCapturePhoto, .didFinishProcessingPhoto, .didFinishCapture])
        #expect(owed[2].photo?.photoCount == 2 && owed[2].photo?.error != nil)
        node.join()
        #expect(try node.prepare().isEmpty)
    }

    @Test("blinks for ten minutes at most, and no more once it is to stop")
    func identify() {
        var node = NodeRehearsal()
        node.join()
        func answer(_ seconds: Int) -> [NodeMachine.Effect] {
            node.take(.received(.identify(Identify(seconds: seconds))))
        }
        #expect(answer(1) == [.identify(seconds: 1)] && answer(Identify.longest) == [.identify(seconds: 600)])
        for seconds in [0, -1, 601, .min, .max] { #expect(answer(seconds).isEmpty) }
        _ = node.take(.stop)
        #expect(answer(1).isEmpty)
    }

    @Test("has its camera set by hand, one order after the other, but not while a capture counts on it")
    func camera() throws {
        var node = NodeRehearsal()
        func code(_ order: CameraOrder, _ node: inout NodeRehearsal) -> CaptureError.Code? {
            let effects = node.take(.received(.camera(order)))
            if effects == [.camera(order)] { return nil }
            guard case .camera(let report)? = sent(effects).first else { return .deviceFailed }
            #expect(report.number == order.number)
            return report.error?.code
        }
        let (show, reset) = (CameraOrder(number: 1, act: .show), CameraOrder(number: 2, act: .reset))
        let meter = CameraOrder(number: 3, act: .set, settings: .meteringOnce)
        #expect(code(show, &node) == .operationNotAllowed, "its camera is still being opened")
        node.join()
        #expect(code(CameraOrder(number: 4, act: .set), &node) == .unsupportedSettings)
        var odd = CameraSettings.meteringOnce
        odd.iso = 100
        #expect(code(CameraOrder(number: 4, act: .set, settings: odd), &node) == .unsupportedSettings)
        #expect(code(reset, &node) == nil && code(show, &node) == nil)
        #expect(code(meter, &node) == .operationNotAllowed && code(show, &node) == .operationNotAllowed)
        for number in 10..<16 { #expect(code(CameraOrder(number: number, act: .show), &node) == nil) }
        #expect(code(CameraOrder(number: 16, act: .show), &node) == .operationNotAllowed, "so many at a time")
        let report = CameraReport(number: 2)
        #expect(node.take(.cameraAnswered(report)) == [.send(.camera(report))])
        #expect(code(meter, &node) == nil)
        for number in [1, 3] { _ = node.take(.cameraAnswered(CameraReport(number: number))) }
        _ = try node.prepare()
        #expect(code(reset, &node) == .operationNotAllowed && code(meter, &node) == .operationNotAllowed)
        #expect(code(show, &node) == nil)
    }

    @Test("finishes its bracket when it is told to stop, and begins no other; told once more, it gives it up")
    func stops() throws {
        var node = NodeRehearsal()
        node.join()
        _ = try node.prepare()
        _ = node.take(.resolved(id, .success(resolution)))
        _ = node.fire(in: 500)
        let error = CaptureError(.operationCancelled, "The node was stopped in the middle of the capture.")
        let finishing = node.take(.stop)
        #expect(finishing.count == 1 && node.machine.isFiring && !node.machine.isQuiet)
        if case .report = finishing.first {} else { Issue.record("\(finishing)") }
        #expect(node.take(.stop) == [.cancel(id, error)])
        #expect(!node.machine.isQuiet)
    }
}
