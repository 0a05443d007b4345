package import CaptureModel
import DequeModule
import RigClock
package import RigProtocol

/// What a node's board does about whatever happens to it; pure.
///
/// Two machines that work together: ``NodeMachine`` decides on captures, ``SpoolQueue`` on what the disk does and what
/// waits for it. What they say to each other stays in here; the rest is to be done outside.
///
/// ```
/// coordinator, camera, time ---> NodeMachine --journal, reclaim, recall--> SpoolQueue ---> spool
///                                     ^                                        |
///                                     +------ captured, journalled, recalled --+
/// ```
///
/// A coordinator that is new to the node is obeyed once that choice is durable, or cannot be made so; until then the
/// node shows that it is alive, and does nothing else.
package struct BoardMachine: Sendable {
    /// What happens.
    package enum Input: Sendable {
        case tick
        case node(NodeMachine.Input)
        /// The core delivered an event, and with it a photo that is not in the spool yet.
        case delivered(SpoolQueue.Delivery)
        // How work ended, see SpoolQueue.Work; an error where it could not be done.
        /// The event, with its photo's file or why there is none.
        case kept(NodeMachine.CapturedEvent)
        case appended(CaptureEvent, StoreFailure?)
        case epochKept(StoreFailure?)
        case reclaimed(StoreFailure?)
        case recalled([[CaptureEvent]], StoreFailure?)
        case measured(Result<Int64, StoreFailure>)
    }

    /// What is to be done outside, in this order.
    package enum Effect: Sendable {
        case send(NodeMessage)
        case openPlanes(clockPort: Int, bulkPort: Int)
        case prepare(Prepare)
        case fire(UniqueID, at: MonotonicTime, stepOffsets: [Int64])
        case moveStart(MoveStart)
        case identify(seconds: Int)
        case camera(CameraOrder)
        case align(FrameGrid)
        case cancel(UniqueID, CaptureError)
        case abandon(UniqueID)
        case work(SpoolQueue.Work)
        case report(Report)
        /// Something is wrong with the disk.
        case alarm(String)
    }

    /// The machine that decides on captures; outside it is only looked into.
    package private(set) var node: NodeMachine
    private var spool = SpoolQueue()
    private var effects: [Effect] = []
    /// What the node wants done once it is durable whom it obeys; nil while nothing has to wait for that.
    private var held: Deque<NodeMachine.Effect>?
    private var now = MonotonicTime(nanoseconds: 0)
    private var clock = ClockReport(estimate: .unavailable)
    /// Changes what the machines do, where a test plants a bug.
    package var tampering: Tampering?

    package init(_ node: NodeMachine) {
        self.node = node
    }

    /// Whether nothing is under way, and nothing waits to be sent for the first time.
    package var isQuiet: Bool { spool.isPaid && held == nil && node.isQuiet }

    /// Whether the spool has done all its work.
    package var isSpoolIdle: Bool { spool.isIdle && held == nil }

    /// Takes what happened and says what to do.
    package mutating func handle(_ input: Input, now: MonotonicTime, clock: ClockReport) -> [Effect] {
        (self.now, self.clock) = (now, clock)
        take(input)
        defer { effects = [] }
        return effects
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .tick:
            tell(.tick)
            follow(spool.tick(now))
        case .node(let input): tell(input)
        case .delivered(var delivery):
            // Its file may take seconds to be kept, over which what is known of its start would fade.
            delivery.event.clock = clock.estimate
            follow(spool.deliver(delivery))
        case .kept(let event): follow(spool.kept(event))
        case .appended(let event, let error):
            if let error { alarm("\(error.words); node \(node.name) reports what it does once that can be kept.") }
            follow(spool.appended(event, isDurable: error == nil, now))
        case .epochKept(let error):
            if let error { alarm(error.words) }
            release()
        case .reclaimed(let error):
            if let error { alarm(error.words) }
            follow(spool.reclaimed())
        case .recalled(let journals, let error):
            if let error { alarm(error.words) }
            for events in journals { tell(.recalled(events: events)) }
            follow(spool.recalled(isWhole: error == nil, now))
        case .measured(let result):
            spool.measured(now)
            switch result {
            case .success(let freeBytes): tell(.spoolMeasured(freeBytes: freeBytes))
            case .failure(let error): alarm(error.words)
            }
        }
    }

    private mutating func alarm(_ text: String) { effects.append(.alarm("spool: \(text)")) }

    private mutating func tell(_ input: NodeMachine.Input) {
        tampering?.before(&node, input)
        let next = node.handle(input, now: now, clock: clock)
        for effect in tampering?.effects(next) ?? next { carryOut(effect) }
    }

    private mutating func release() {
        var waiting = held ?? []
        held = nil
        while let effect = waiting.popFirst() { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: NodeMachine.Effect) {
        if held != nil, !effect.isHeartbeat {
            held?.append(effect)
            return
        }
        switch effect {
        case .send(let message): effects.append(.send(message))
        case .openPlanes(let clockPort, let bulkPort):
            effects.append(.openPlanes(clockPort: clockPort, bulkPort: bulkPort))
        case .prepare(let prepare): effects.append(.prepare(prepare))
        case .fire(let id, let time, let stepOffsets):
            effects.append(.fire(id, at: time, stepOffsets: stepOffsets))
        case .moveStart(let move): effects.append(.moveStart(move))
        case .identify(let seconds): effects.append(.identify(seconds: seconds))
        case .camera(let order): effects.append(.camera(order))
        case .align(let grid): effects.append(.align(grid))
        case .cancel(let id, let error): effects.append(.cancel(id, error))
        case .abandon(let id): effects.append(.abandon(id))
        case .report(let report): effects.append(.report(report))
        case .journal(let event): follow(spool.append(event))
        case .reclaimPhoto(let id, let photoCount): follow(spool.reclaim(.reclaimPhoto(id, photoCount: photoCount)))
        case .reclaimCapture(let id): follow(spool.reclaim(.reclaimCapture(id)))
        case .recall: follow(spool.recall())
        case .keepEpoch(let epoch):
            held = []
            effects.append(.work(.keepEpoch(epoch)))
        }
    }

    private mutating func follow(_ outputs: [SpoolQueue.Output]) {
        for output in outputs {
            switch output {
            case .work(let work): effects.append(.work(work))
            case .captured(let event): tell(.captured(event))
            case .journalled(let event): tell(.journalled(event))
            }
        }
    }
}

extension BoardMachine {
    /// A bug that is planted on purpose, to show that it is found.
    package struct Tampering: Sendable {
        /// Changes the node before something happens to it.
        package var before: @Sendable (inout NodeMachine, NodeMachine.Input) -> Void = { _, _ in }
        /// Changes what the node wants done.
        package var effects: @Sendable ([NodeMachine.Effect]) -> [NodeMachine.Effect] = { $0 }

        package init() {}
    }
}

extension NodeMachine.Effect {
    fileprivate var isHeartbeat: Bool { if case .send(.heartbeat) = self { true } else { false } }
}
