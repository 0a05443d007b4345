package import CaptureModel
import RigClock
package import RigProtocol

/// What a node does about what happens to it; pure: time and the clock's estimate come in as values.
///
/// ```
/// connection:  seeking --welcome--> member --silence, unknownNode--> seeking
///
/// capture:     idle --prepare--> preparing --resolved--> prepared --fire--> firing --didFinishCapture--> idle
///                                    |                      |  late, no clock: refused
///                                    +---refused, cancel----+---------------------------> idle
/// ```
///
/// Events are journalled first and sent when they are durable; they stay in the outbox until the coordinator says
/// that it stored them, whatever becomes of either side meanwhile.
package struct NodeMachine: Sendable {
    /// What happens to a node.
    package enum Input: Sendable {
        case tick
        case received(CoordinatorMessage)
        case connectionLost
        case cameraReady(CameraCapabilities)
        case cameraLost(CaptureError)
        /// What the spool may still take, in bytes.
        case spoolMeasured(freeBytes: Int64)
        /// How the board and its camera are.
        case boardMeasured(BoardReport)
        /// What a former run left in the spool.
        case recovered(events: [CaptureEvent])
        /// The core answered a preparation.
        case resolved(UniqueID, Result<Resolution, CaptureError>)
        /// The core could not take a capture that it was told to fire; none of it happened.
        case fireFailed(UniqueID, CaptureError)
        /// The core delivered an event; a photo's file is in the spool already.
        case captured(CapturedEvent)
        /// The event is durable.
        case journalled(CaptureEvent)
        /// What came of ``Effect/camera(_:)``.
        case cameraAnswered(CameraReport)
        /// What the spool holds of a capture, asked for with ``Effect/recall``.
        case recalled(events: [CaptureEvent])
        /// The program is to end; said twice, at once.
        case stop
    }

    /// A prepared capture's promise.
    package struct Resolution: Sendable, Hashable {
        /// What the plan became on this camera.
        package var settings: ResolvedPhotoSettings
        /// How long the camera needs, before the first exposure and from step to step.
        package var timing: CaptureTiming
        /// What the camera has settled on by itself.
        package var settled: SharedSettings
        /// How well the exposures' starts will be known in rig time; nil where nobody asks.
        package var starts: StartUncertainty?

        package init(
            settings: ResolvedPhotoSettings, timing: CaptureTiming, settled: SharedSettings = SharedSettings(),
            starts: StartUncertainty? = nil
        ) {
            self.starts = starts
            self.settings = settings
            self.timing = timing
            self.settled = settled
        }
    }

    /// An event from the core, before it gets its number and its rig time.
    package struct CapturedEvent: Sendable, Hashable {
        /// The capture that the event belongs to.
        package var uniqueID: UniqueID
        /// Which callback it was.
        package var kind: CaptureEventKind
        /// When the callback came.
        package var time: MonotonicTime
        /// The exposure that it belongs to; nil for the first and the last event.
        package var sequenceCount: Int?
        /// With `willBeginCapture`.
        package var resolvedSettings: ResolvedPhotoSettings?
        /// With `didFinishProcessingPhoto`, still without rig time.
        package var photo: PhotoRecord?
        /// With `didFinishCapture`, where something went wrong.
        package var error: CaptureError?
        /// What was known of rig time when it was delivered; nil for what is known when it gets its number.
        var clock: ClockEstimate?

        package init(uniqueID: UniqueID, kind: CaptureEventKind, time: MonotonicTime) {
            self.uniqueID = uniqueID
            self.kind = kind
            self.time = time
        }
    }

    /// What the owner does, in order.
    package enum Effect: Sendable, Hashable {
        case send(NodeMessage)
        case openPlanes(clockPort: Int, bulkPort: Int)
        case prepare(Prepare)
        case fire(UniqueID, at: MonotonicTime, stepOffsets: [Int64])
        /// The camera's timestamps are off by this much more.
        case moveStart(MoveStart)
        /// Have the board's light blink.
        case identify(seconds: Int)
        /// Say what the camera is set to, or set it; the answer is ``Input/cameraAnswered(_:)``.
        case camera(CameraOrder)
        /// Make the camera's frames begin on this grid of rig time.
        case align(FrameGrid)
        /// Give up a capture that was fired; its debt is paid with this error.
        case cancel(UniqueID, CaptureError)
        /// Forget a capture that was prepared.
        case abandon(UniqueID)
        case journal(CaptureEvent)
        /// Remember whom the node obeys, before anything else is done.
        case keepEpoch(Int64)
        /// Read all journals again: the coordinator may have forgotten what it acknowledged.
        case recall
        case reclaimPhoto(UniqueID, photoCount: Int)
        case reclaimCapture(UniqueID)
        case report(Report)
    }

    /// The interval at which hello, heartbeats and repeats go out.
    package static let interval = Int64.seconds(1)
    /// The silence after which a coordinator counts as gone.
    package static let liveness = Int64.seconds(3)
    /// The longest until an event is sent again, in nanoseconds.
    package static let longestPause = Int64.seconds(12)
    /// The time after which a prepared capture that has not been fired is given up.
    package static let preparedLimit = Int64.seconds(30)
    /// The time by which a capture's exposures may be late before it is given up: its frames are not coming.
    package static let exposureLimit = Int64.seconds(30)
    /// An order to fire further ahead than this is in another coordinator's rig time: cameras lead by two minutes at most,
    /// plans by one, and a node's offset is a minute.
    package static let furthestFire = Int64.seconds(300)
    /// No exposure takes longer than this.
    package static let longestStep = Int64.seconds(120)
    /// No step begins later than this after the first one.
    package static let longestBracket = Int64(Bracket.maximumCount) * longestStep
    /// A clock that is further than this from what it was when a capture was fired has learned another rig time.
    static let sameRigTime = Int64.seconds(1)

    enum Connection {
        case seeking
        case member(lastHeard: MonotonicTime, lastBeat: MonotonicTime)
    }

    enum Capture {
        case idle
        case preparing(Prepare)
        case prepared(Prepare, Resolution, since: MonotonicTime)
        case firing(UniqueID, until: MonotonicTime)

        var uniqueID: UniqueID? {
            switch self {
            case .idle: nil
            case .preparing(let prepare), .prepared(let prepare, _, _): prepare.uniqueID
            case .firing(let id, _): id
            }
        }
    }

    struct Waiting {
        var event: CaptureEvent
        var lastSent: MonotonicTime?
        /// How long after that it is sent again, in nanoseconds: one that waits for its photo has arrived, as a rule, and
        /// would take the photo's place on a slow wire.
        var pause = NodeMachine.liveness
    }

    /// The events of a capture that are not yet stored.
    struct Outbox {
        var waiting: [Waiting] = []
        /// Whether the last event is stored: once nothing waits either, the coordinator has the whole capture.
        var isEndStored = false
    }

    /// What the coordinator calls it, once that has said so.
    package private(set) var name: NodeName
    let instance: String
    /// When what is being handled happened, and what was known about rig time.
    private(set) var now = MonotonicTime(nanoseconds: 0)
    private(set) var clock = ClockReport(estimate: .unavailable)
    var connection = Connection.seeking
    var lastHello: MonotonicTime?
    var capture = Capture.idle
    var capabilities: CameraCapabilities?
    var cameraError: CaptureError?
    var spoolFreeBytes: Int64?
    private var board: BoardReport?
    var lastUniqueID = UniqueID(rawValue: 0)
    var usedIDs = UsedIDs()
    /// The number of the last event of each capture that is not yet completely stored.
    var sequences: [UniqueID: Int] = [:]
    var outbox: [UniqueID: Outbox] = [:]
    /// The clock when each capture was fired of which events are still to come.
    var firingClocks: [UniqueID: ClockEstimate] = [:]
    var isStopping = false
    /// What is to be done with the camera, by the numbers of the orders.
    var cameraOrders: [Int: CameraOrder.Act] = [:]
    /// Of the coordinator that it obeys; see ``Welcome``.
    var epoch: Int64
    var history: Int64?

    /// - Parameter epoch: what a former run kept with ``Effect/keepEpoch(_:)``.
    package init(name: NodeName, instance: String, epoch: Int64 = 0) {
        self.name = name
        self.instance = instance
        self.epoch = epoch
    }

    /// Whether the camera is taking a bracket, or is about to.
    package var isFiring: Bool { if case .firing = capture { true } else { false } }

    /// Whether nothing is under way and nothing waits to be sent for the first time.
    package var isQuiet: Bool {
        !isFiring && outbox.values.allSatisfy { $0.waiting.allSatisfy { $0.lastSent != nil } }
    }

    /// Takes what happened and says what to do.
    package mutating func handle(_ input: Input, now: MonotonicTime, clock: ClockReport) -> [Effect] {
        (self.now, self.clock) = (now, clock)
        switch input {
        case .tick: return tick()
        case .received(let message): return received(message)
        case .connectionLost:
            connection = .seeking
            return []
        case .cameraReady(let found):
            capabilities = found
            cameraError = nil
            return sayHello()
        case .cameraLost(let error):
            capabilities = nil
            cameraError = error
            return sayHello()
        case .spoolMeasured(let freeBytes):
            // More room than was reported is reported at once: somebody may be waiting to fire.
            let isMore = freeBytes > spoolFreeBytes ?? .max
            spoolFreeBytes = freeBytes
            return isMore && isMember ? [.send(.heartbeat(heartbeat()))] : []
        case .boardMeasured(let report):
            board = report
            return []
        case .recovered(let events): return recover(events)
        case .recalled(let events): return recalled(events)
        case .resolved(let id, let result): return resolved(id, result)
        case .fireFailed(let id, let error): return fireFailed(id, error)
        case .captured(let event): return captured(event)
        case .cameraAnswered(let report):
            cameraOrders[report.number] = nil
            return [.send(.camera(report))]
        case .journalled(let event): return journalled(event)
        case .stop: return stop()
        }
    }

    // MARK: Connection

    private var isMember: Bool { if case .member = connection { true } else { false } }

    private func heartbeat() -> Heartbeat {
        Heartbeat(
            clock: clock.estimate.status == .unavailable ? nil : clock, spoolFreeBytes: spoolFreeBytes,
            keepsCount: sequences.count, board: board)
    }

    private mutating func tick() -> [Effect] {
        var effects = expire()
        switch connection {
        case .seeking:
            effects += seek()
        case .member(let lastHeard, let lastBeat):
            if now - lastHeard > Self.liveness {
                connection = .seeking
                return effects + [.report("The coordinator is silent; looking for it again.")] + seek()
            }
            if now - lastBeat >= Self.interval {
                connection = .member(lastHeard: lastHeard, lastBeat: now)
                effects.append(.send(.heartbeat(heartbeat())))
                effects += resend()
            }
        }
        return effects
    }

    /// Says hello, but only once an interval: each of many messages may be answered by a rejection.
    private mutating func seek() -> [Effect] {
        lastHello.map { now - $0 >= Self.interval } ?? true ? sayHello() : []
    }

    private mutating func sayHello() -> [Effect] {
        guard !isStopping else { return [] }
        lastHello = now
        return [
            .send(
                .hello(
                    Hello(
                        node: name, instance: instance, capabilities: capabilities, cameraError: cameraError,
                        lastUniqueID: lastUniqueID, epoch: epoch)))
        ]
    }

    private mutating func received(_ message: CoordinatorMessage) -> [Effect] {
        if case .member(_, let lastBeat) = connection { connection = .member(lastHeard: now, lastBeat: lastBeat) }
        switch message {
        case .welcome(let welcome): return welcomed(welcome)
        case .rejected(let rejection):
            connection = .seeking
            return rejection.code == .unknownNode ? seek() : [.report(Report(rejection.message))]
        case .heartbeat(let heartbeat): return heartbeat.grid.map { [.align($0)] } ?? []
        case .prepare(let prepare): return prepared(prepare)
        case .fire(let fire): return fired(fire)
        case .cancel(let cancel):
            return giveUp(cancel.uniqueID, CaptureError(.operationCancelled, "The capture was cancelled."))
        case .stored(let stored): return self.stored(stored)
        case .moveStart(let move): return move.isPlausible ? [.moveStart(move)] : []
        case .identify(let identify):
            let isSound = (1...Identify.longest).contains(identify.seconds)
            return isSound && !isStopping ? [.identify(seconds: identify.seconds)] : []
        case .camera(let order): return ordered(order)
        }
    }

    private mutating func welcomed(_ welcome: Welcome) -> [Effect] {
        guard welcome.epoch >= epoch || welcome.replaces == epoch else {
            connection = .seeking
            return [.report("This coordinator started before the one that node \(name) obeys; stop one of the two.")]
        }
        var wasMember = false
        if case .member = connection { wasMember = true }
        connection = .member(lastHeard: now, lastBeat: now)
        var effects: [Effect] = []
        if let given = welcome.node, given != name {
            effects.append(.report("The coordinator calls node \(name) \(given)."))
            name = given
        }
        // A coordinator that began anew has heard nothing of what it has not stored.
        let isNew = !wasMember || welcome.epoch != epoch || welcome.history != history
        // First: what waits to be freed was acknowledged by a history that is gone.
        if let history, history != welcome.history { effects.append(.recall) }
        history = welcome.history
        if welcome.epoch != epoch {
            epoch = welcome.epoch
            effects.append(.keepEpoch(epoch))
        }
        effects.append(.openPlanes(clockPort: welcome.clockPort, bulkPort: welcome.bulkPort))
        if !wasMember { effects.append(.report("The coordinator answers.")) }
        return effects + resend(isNew: isNew)
    }

    // MARK: Capture

    private mutating func prepared(_ prepare: Prepare) -> [Effect] {
        let id = prepare.uniqueID
        switch capture {
        case .prepared(prepare, let resolution, _):
            // The answer was lost, or it is armed and to be held for longer.
            capture = .prepared(prepare, resolution, since: now)
            return [.send(.prepared(answer(id, resolution)))]
        case .prepared(let former, _, _) where former.uniqueID == id && prepare.shared != nil:
            // The rig has agreed on what all nodes use.
            capture = .preparing(prepare)
            return [.prepare(prepare)]
        case .idle:
            break
        case .preparing, .prepared, .firing:
            guard let other = capture.uniqueID, other != id else { return [] }
            return refuse(id, .operationNotAllowed, "Node \(name) is busy with capture \(other).")
        }
        if let problem = prepare.plan.problem { return refuse(id, .unsupportedSettings, problem) }
        // An id is used once: one that was seen before must not fire again. An appointment's id comes out of order.
        guard usedIDs.insert(id) else { return [] }
        lastUniqueID = max(lastUniqueID, id)
        if let cameraError { return refuse(id, cameraError.code, cameraError.message) }
        guard capabilities != nil else { return refuse(id, .deviceNotConnected, "Node \(name) has no camera yet.") }
        if let problem = prepare.plan.objection(to: clock.estimate, of: name) {
            return [.send(.refused(Refused(uniqueID: id, error: problem)))]
        }
        guard !isStopping else { return refuse(id, .operationNotAllowed, "Node \(name) is stopping.") }
        capture = .preparing(prepare)
        return [.prepare(prepare)]
    }

    private func answer(_ id: UniqueID, _ resolution: Resolution) -> Prepared {
        var prepared = Prepared(
            uniqueID: id, settings: resolution.settings, timing: resolution.timing, settled: resolution.settled,
            clock: clock, starts: resolution.starts)
        prepared.hasSettings = true
        return prepared
    }

    private func refuse(_ id: UniqueID, _ code: CaptureError.Code, _ message: String) -> [Effect] {
        [.send(.refused(Refused(uniqueID: id, error: CaptureError(code, message))))]
    }

    private mutating func resolved(
        _ id: UniqueID, _ result: Result<Resolution, CaptureError>
    ) -> [Effect] {
        // It may have been cancelled meanwhile.
        guard case .preparing(let prepare) = capture, prepare.uniqueID == id else { return [.abandon(id)] }
        switch result {
        case .success(let resolution):
            capture = .prepared(prepare, resolution, since: now)
            return [.send(.prepared(answer(id, resolution)))]
        case .failure(let error):
            capture = .idle
            return [.send(.refused(Refused(uniqueID: id, error: error)))]
        }
    }

    private mutating func fired(_ fire: Fire) -> [Effect] {
        guard case .prepared(let prepare, let resolution, _) = capture, prepare.uniqueID == fire.uniqueID else {
            return []
        }
        if let problem = prepare.plan.objection(to: clock.estimate, of: name) {
            capture = .idle
            return [.abandon(fire.uniqueID), .send(.refused(Refused(uniqueID: fire.uniqueID, error: problem)))]
        }
        let ahead = fire.rigTime.nanoseconds.subtractingReportingOverflow(clock.estimate.rigTime(at: now).nanoseconds)
        guard !ahead.overflow, ahead.partialValue < Self.furthestFire else {
            capture = .idle
            return [.abandon(fire.uniqueID)]
                + refuse(fire.uniqueID, .operationNotAllowed, "The order to fire names an impossible time.")
        }
        let time = clock.estimate.monotonicTime(at: fire.rigTime)
        let lateness = now + resolution.timing.leadNanoseconds - time
        guard lateness <= 0 else {
            capture = .idle
            return [.abandon(fire.uniqueID)]
                + refuse(
                    fire.uniqueID, .firedTooLate,
                    "The order to fire reached node \(name) \(lateness / 1_000_000 + 1) ms too late to be met.")
        }
        // Steps wait for the slowest node's.
        let offsets = fire.stepOffsets.allSatisfy { (0...Self.longestBracket).contains($0) } ? fire.stepOffsets : []
        let span = resolution.timing.spanNanoseconds + (offsets.max() ?? 0)
        capture = .firing(fire.uniqueID, until: time + span + Self.exposureLimit)
        firingClocks[fire.uniqueID] = clock.estimate
        return [.fire(fire.uniqueID, at: time, stepOffsets: offsets)]
    }

    private mutating func giveUp(_ id: UniqueID, _ error: CaptureError) -> [Effect] {
        guard capture.uniqueID == id else { return [] }
        switch capture {
        case .preparing, .prepared:
            capture = .idle
            return [.abandon(id)] + refuse(id, error.code, error.message)
        case .firing: return [.cancel(id, error)]
        case .idle: return []
        }
    }

    private mutating func fireFailed(_ id: UniqueID, _ error: CaptureError) -> [Effect] {
        guard case .firing(id, _) = capture else { return [] }
        capture = .idle
        firingClocks[id] = nil
        return [.send(.refused(Refused(uniqueID: id, error: error)))]
    }

    private mutating func expire() -> [Effect] {
        switch capture {
        case .prepared(let prepare, _, let since) where now - since > Self.preparedLimit:
            capture = .idle
            let id = prepare.uniqueID
            return [
                .abandon(id),
                .report(Report("Capture \(id) was prepared but never fired; it was given up.", capture: id)),
            ]
        case .firing(let id, let until) where now > until:
            capture = .firing(id, until: now + Self.exposureLimit)
            return [.cancel(id, CaptureError(.stalled, "The camera did not deliver its exposures in time."))]
        case .idle, .preparing, .prepared, .firing:
            return []
        }
    }

    /// A bracket that is under way is finished, unless the node is told to stop once more.
    private mutating func stop() -> [Effect] {
        let isAgain = isStopping
        isStopping = true
        if !isAgain, case .firing(let id, _) = capture {
            return [.report(Report("Node \(name) finishes its part of capture \(id) before it stops.", capture: id))]
        }
        let error = CaptureError(.operationCancelled, "The node was stopped in the middle of the capture.")
        return capture.uniqueID.map { giveUp($0, error) } ?? []
    }
}
