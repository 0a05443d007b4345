package import CaptureModel
import DequeModule

/// What a node's spool does next, and what follows when it has done it; pure.
///
/// Each capture has a lane for what it delivers, so that a journal that cannot be written holds up no other:
///
/// ```
/// delivered --a photo--> keep --kept--> captured: it gets its number --> append --appended--> journalled, and sent
///           --------- no photo --------^                        ^   | failed
///                                                               +---+ tried again after a second
/// ```
///
/// What the coordinator has stored is freed in a lane of its own, one item after the other: on a full disk that is what
/// makes room for the events. A recall waits only for the item that is being freed, and nothing more is freed before
/// it: a coordinator that forgot what it acknowledged may need it.
package struct SpoolQueue: Sendable {
    /// An event from the core, and the file of its photo.
    package struct Delivery: Sendable {
        /// The event as the core delivered it.
        package var event: NodeMachine.CapturedEvent
        /// The photo's file; nil for an event without one.
        package var file: File?

        package init(event: NodeMachine.CapturedEvent, file: File? = nil) {
            (self.event, self.file) = (event, file)
        }
    }

    /// A photo's file before it is kept.
    package struct File: Sendable {
        /// The whole file, as it is to be stored.
        package let bytes: [UInt8]
        /// Of the picture in it, in pixels.
        package let dimensions: Dimensions
        /// See ``PhotoFile/imageUniqueID``.
        package let imageUniqueID: String

        package init(bytes: [UInt8], dimensions: Dimensions, imageUniqueID: String) {
            (self.bytes, self.dimensions, self.imageUniqueID) = (bytes, dimensions, imageUniqueID)
        }
    }

    /// What is to be done outside; each ends in the input of ``BoardMachine`` that it names.
    package enum Work: Sendable {
        /// Make a photo durable: ``BoardMachine/Input/kept(_:)``
        case keep(Delivery)
        /// Make an event durable: ``BoardMachine/Input/appended(_:_:)``
        case append(CaptureEvent)
        /// Remember whom the node obeys: ``BoardMachine/Input/epochKept(_:)``
        case keepEpoch(Int64)
        /// Free what is stored: ``BoardMachine/Input/reclaimed(_:)``
        case reclaimPhoto(UniqueID, photoCount: Int)
        case reclaimCapture(UniqueID)
        /// Read all journals: ``BoardMachine/Input/recalled(_:_:)``
        case recall
        /// Find out how much room there is: ``BoardMachine/Input/measured(_:)``
        case measure
    }

    /// What follows from it.
    enum Output {
        case work(Work)
        case captured(NodeMachine.CapturedEvent)
        case journalled(CaptureEvent)
    }

    private struct Lane {
        enum Step {
            case idle
            case keeping
            case appending
            case resting(until: MonotonicTime, CaptureEvent)
        }

        var step = Step.idle
        var events: Deque<CaptureEvent> = []
        var deliveries: Deque<Delivery> = []
    }

    /// How long until what a full disk refused is tried again, in nanoseconds.
    private static let pause = Int64.seconds(1)
    /// How long until journals that could not be read are tried again, with all others; in nanoseconds.
    private static let recallPause = Int64.seconds(60)
    /// The interval at which the room is measured, in nanoseconds: others may fill the disk at any time.
    private static let measuring = Int64.seconds(2)

    private var lanes: [UniqueID: Lane] = [:]
    private var reclaims: Deque<Work> = []
    private var reclaiming: Work?
    /// When the journals are read again, where some could not be read.
    private var recallDue: MonotonicTime?
    private var isMeasuring = false
    private var lastMeasured: MonotonicTime?

    /// Whether all that was delivered is durable.
    var isPaid: Bool { lanes.isEmpty }

    /// Whether nothing but measuring is under way, and nothing waits.
    var isIdle: Bool { lanes.isEmpty && reclaiming == nil && recallDue == nil }

    mutating func tick(_ now: MonotonicTime) -> [Output] {
        var outputs: [Output] = []
        for id in lanes.keys.sorted() {
            guard case .resting(let until, let event) = lanes[id]?.step, now >= until else { continue }
            lanes[id]?.step = .appending
            outputs.append(.work(.append(event)))
        }
        if let due = recallDue, now >= due { outputs += recall() }
        guard !isMeasuring, lastMeasured.map({ now - $0 >= Self.measuring }) ?? true else { return outputs }
        return outputs + measure()
    }

    // MARK: What captures deliver

    mutating func deliver(_ delivery: Delivery) -> [Output] {
        lanes[delivery.event.uniqueID, default: Lane()].deliveries.append(delivery)
        return next(delivery.event.uniqueID)
    }

    mutating func append(_ event: CaptureEvent) -> [Output] {
        lanes[event.uniqueID, default: Lane()].events.append(event)
        return next(event.uniqueID)
    }

    /// A photo is durable, or its record says why not.
    mutating func kept(_ event: NodeMachine.CapturedEvent) -> [Output] {
        lanes[event.uniqueID]?.step = .idle
        return [.captured(event)]
    }

    /// An event is durable, or could not be made so.
    mutating func appended(_ event: CaptureEvent, isDurable: Bool, _ now: MonotonicTime) -> [Output] {
        guard isDurable else {
            lanes[event.uniqueID]?.step = .resting(until: now + Self.pause, event)
            return []
        }
        lanes[event.uniqueID]?.step = .idle
        return [.journalled(event)] + next(event.uniqueID)
    }

    /// An event is durable before the next one is taken: its number depends on that.
    private mutating func next(_ id: UniqueID) -> [Output] {
        guard case .idle = lanes[id]?.step else { return [] }
        if let event = lanes[id]?.events.popFirst() {
            lanes[id]?.step = .appending
            return [.work(.append(event))]
        }
        guard let delivery = lanes[id]?.deliveries.popFirst() else {
            lanes[id] = nil
            return []
        }
        guard delivery.file != nil else { return [.captured(delivery.event)] }
        lanes[id]?.step = .keeping
        return [.work(.keep(delivery))]
    }

    // MARK: What is stored

    mutating func reclaim(_ work: Work) -> [Output] {
        reclaims.append(work)
        return reclaiming == nil ? nextReclaim() : []
    }

    /// Everything is to be sent again, including what waits to be freed.
    mutating func recall() -> [Output] {
        (reclaims, recallDue) = ([], nil)
        return reclaim(.recall)
    }

    /// What was being freed is free; the room that a capture leaves is measured at once: somebody may be waiting to
    /// fire.
    mutating func reclaimed() -> [Output] {
        let isCapture = if case .reclaimCapture = reclaiming { true } else { false }
        return nextReclaim() + (isCapture ? measure() : [])
    }

    /// The journals were read, or some could not be.
    mutating func recalled(isWhole: Bool, _ now: MonotonicTime) -> [Output] {
        if !isWhole { recallDue = now + Self.recallPause }
        return nextReclaim()
    }

    private mutating func nextReclaim() -> [Output] {
        reclaiming = reclaims.popFirst()
        return reclaiming.map { [.work($0)] } ?? []
    }

    // MARK: Room

    private mutating func measure() -> [Output] {
        guard !isMeasuring else { return [] }
        isMeasuring = true
        return [.work(.measure)]
    }

    mutating func measured(_ now: MonotonicTime) { (isMeasuring, lastMeasured) = (false, now) }
}
