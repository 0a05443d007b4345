import CaptureModel
import RigProtocol

/// One node's part in a capture: what it owes, and how much of it has been paid.
///
/// ```
/// preparing --prepared--> prepared --fire--> owing --paid, or the node is lost--> settled
///     |  refused              |                                                     |
///     +-----------------------+--> out             owing <--the node comes back-----+
/// ```
struct CapturePart: Sendable {
    enum Phase: Sendable, Hashable {
        case preparing
        case prepared(Prepared)
        /// It refused, so that it owes nothing.
        case out(CaptureError)
        case owing
        /// It was lost with debts unpaid, for this reason.
        case settled(CaptureError)
    }

    let debt: Debt
    /// How much later than the capture's time it fires, in nanoseconds.
    var offset: Int64 = 0
    var phase: Phase
    /// Events up to this number are in the catalogue or on their way there.
    var receivedThrough = 0
    /// Photos whose events were received, until they are stored: the event's number for each.
    var pending: [Int: Int] = [:]
    /// Photos that are in the library and in the catalogue, with the event's number.
    var stored: [Int: Int] = [:]
    /// Photos that were reported as an error, or could not be fetched.
    var failed: [Int: CaptureError] = [:]
    /// The exposure and format of each photo that has been reported.
    var slots: [Int: PhotoSlot] = [:]
    /// Events that the catalogue refused for good; they are never acknowledged.
    var refused: Set<Int> = []
    /// When each exposure began, by the step's number.
    var starts: [Int: StepStart] = [:]
    var exposedCount = 0
    var hasEnded = false
    var lastProgress: RigTime
    /// No photo of it is larger, in bytes; the default is for captures of a former run, whose cameras nobody knows.
    var largestFile: Int64 = 4 << 30

    init(_ debt: Debt, phase: Phase, lastProgress: RigTime) {
        self.debt = debt
        self.phase = phase
        self.lastProgress = lastProgress
    }

    /// Takes in the next event of its node: whatever the node was taken for, it is alive and pays.
    mutating func receive(_ event: CaptureEvent, _ now: RigTime) {
        phase = .owing
        lastProgress = now
        receivedThrough = event.sequence
        if event.kind == .didCapturePhoto { exposedCount += 1 }
        if event.kind == .didFinishCapture { hasEnded = true }
        guard let photo = event.photo else { return }
        slots[photo.photoCount] = photo.slot
        failed[photo.photoCount] = photo.error
        starts[photo.sequenceCount] = StepStart(photo) ?? starts[photo.sequenceCount]
        if photo.file != nil { pending[photo.photoCount] = event.sequence }
    }

    /// Whether everything that is owed was paid, in photos or in errors.
    var isPaid: Bool { hasEnded && pending.isEmpty && stored.count + failed.count >= debt.photoCount }

    var isSettled: Bool {
        switch phase {
        case .preparing, .prepared: false
        case .owing: isPaid
        case .out, .settled: true
        }
    }

    /// Why its photos are no longer waited for; nil while they are owed.
    var givenUp: CaptureError? { if case .settled(let error) = phase { error } else { nil } }

    var isExposing: Bool { phase == .owing && !hasEnded && exposedCount < debt.stepCount }

    /// The phase that the catalogue keeps.
    var kept: PartPhase {
        switch phase {
        case .preparing, .prepared: .preparing
        case .out(let error): .out(error)
        case .owing: .owing
        case .settled(let error): .settled(error)
        }
    }

    /// The state that the catalogue keeps.
    var state: CaptureState {
        switch phase {
        case .preparing, .prepared: .preparing
        case .out: .failed
        case .owing where !isPaid: isExposing ? .firing : .collecting
        case .owing, .settled:
            if stored.count == debt.photoCount { .complete } else { stored.isEmpty ? .failed : .partial }
        }
    }

    /// Why the part is not complete; nil when it is, or is not settled yet.
    var error: CaptureError? {
        switch phase {
        case .preparing, .prepared: nil
        case .out(let error), .settled(let error): stored.count == debt.photoCount ? nil : error
        case .owing: failed.keys.min().flatMap { failed[$0] }
        }
    }
}
