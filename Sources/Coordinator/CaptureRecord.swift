import CaptureModel
import RigProtocol

/// One capture while the coordinator has it in mind.
///
/// ```
/// waiting --its time comes--> preparing --quorum--> fired --every part settled--> ended
///     |                           |  no quorum, cancelled                          |  a lost node comes back
///     +---------------------------+------------------------------> ended <---------+  with its photos
/// ```
struct CaptureRecord: Sendable {
    enum Phase: Sendable, Hashable {
        /// For an appointment: nodes are asked to prepare from this instant on.
        case waiting(until: RigTime)
        case preparing(deadline: RigTime)
        case fired(RigTime?)
        case ended(CaptureState, reason: String?)
    }

    let uniqueID: UniqueID
    let plan: Plan
    let createdAt: Int64
    var phase: Phase
    var parts: [String: CapturePart]
    var isCancelled = false
    /// The appointment; nil for as soon as can be.
    var fireAt: RigTime?
    /// What all nodes use, once that is agreed on.
    var shared: SharedSettings?
    /// When something was last heard of it.
    var touched: RigTime

    /// Names in order: what is decided must not hang on a dictionary's.
    var nodeNames: [String] { parts.keys.sorted() }

    var storedPhotoCount: Int { parts.values.reduce(0) { $0 + $1.stored.count } }

    var expectedPhotoCount: Int { parts.values.reduce(0) { $0 + $1.expectedPhotoCount } }

    var state: CaptureState {
        switch phase {
        case .waiting, .preparing: .preparing
        case .fired: parts.values.contains { $0.isExposing } ? .firing : .collecting
        case .ended(let state, _): state
        }
    }

    /// Why the nodes were further apart than the plan allows, or cannot be shown not to have been; nil where they were not.
    var spreadProblem: String? {
        guard let limit = plan.maxSpread else { return nil }
        let limitKept = "the plan's limit of \(Plan.milliseconds(limit)) ms cannot be shown to be kept."
        for name in nodeNames {
            if let step = (1...plan.bracket.count).first(where: { parts[name]?.starts[$0] == nil }) {
                return "When node \(name) began step \(step) is not known, so that \(limitKept)"
            }
        }
        let spreads = (1...plan.bracket.count).compactMap(spread)
        guard let widest = spreads.max(by: { $0.nanoseconds < $1.nanoseconds }),
            let vaguest = spreads.max(by: { $0.atMost < $1.atMost })
        else { return nil }
        if widest.nanoseconds > limit {
            return "\(widest.words); the plan allows \(Plan.milliseconds(limit)) ms."
        }
        guard vaguest.atMost > limit else { return nil }
        let known = Plan.milliseconds(vaguest.uncertaintyNanoseconds)
        return "\(vaguest.words), which is known to ±\(known) ms, so that \(limitKept)"
    }

    /// How far apart the nodes began a step, and how well that is known: as `v_sync` has it.
    private struct Spread {
        let step: Int
        let nanoseconds: Int64
        let uncertaintyNanoseconds: Int64
        var atMost: Int64 { nanoseconds + uncertaintyNanoseconds }
        var words: String { "The nodes began step \(step) \(Plan.milliseconds(nanoseconds)) ms apart" }
    }

    private func spread(of step: Int) -> Spread? {
        let times = nodeNames.compactMap { name in
            parts[name]?.starts[step].map { $0.time + -plan.offset(of: name) }
        }
        guard let first = times.min(), let last = times.max(), times.count > 1 else { return nil }
        let uncertainty = StartUncertainty.ofSpread(nodeNames.compactMap { parts[$0]?.starts[step]?.known })
        return Spread(step: step, nanoseconds: last - first, uncertaintyNanoseconds: uncertainty)
    }

    /// The final state and its reason, once every part is settled; nil before.
    func verdict() -> (state: CaptureState, reason: String?)? {
        guard parts.values.allSatisfy(\.isSettled) else { return nil }
        let whole = nodeNames.filter { parts[$0]?.state == .complete }
        // One sentence for all nodes that say the same.
        var nodesBySentence: [String: [String]] = [:]
        for name in nodeNames {
            if let error = parts[name]?.error { nodesBySentence[error.message, default: []].append(name) }
        }
        let reasons = nodesBySentence.map { "\($0.value.joined(separator: ", ")): \($0.key)" }.sorted()
        let reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        if isCancelled { return (.cancelled, reason ?? "It was cancelled.") }
        if whole.count == parts.count {
            return spreadProblem.map { (.partial, $0) } ?? (.complete, nil)
        }
        let isEnough =
            switch plan.policy {
            case .all: false
            case .atLeast(let count): whole.count >= count
            case .bestEffort: storedPhotoCount > 0
            }
        return (isEnough ? .partial : .failed, reason)
    }
}

/// Which file of a capture: each exposure owes one for each format.
struct Place: Hashable, Sendable {
    let sequenceCount: Int
    let format: PhotoFormat
}

/// One node's part in a capture: what it owes, and what of it was paid.
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
        /// It was lost with this much unpaid.
        case settled(CaptureError)
    }

    let expectedPhotoCount: Int
    let stepCount: Int
    var phase: Phase
    /// Events up to this number are in the catalogue or on their way there.
    var receivedThrough = 0
    /// The photos of events that were received, until they are stored: the event's number for each.
    var pending: [Int: Int] = [:]
    /// Photos that are in the library and in the catalogue, with the event's number.
    var stored: [Int: Int] = [:]
    /// Photos that came as an error, or could not be fetched.
    var failed: [Int: CaptureError] = [:]
    /// Which exposure and format each photo is of that was heard of.
    var places: [Int: Place] = [:]
    /// Events that the catalogue refused for good; they are never acknowledged.
    var refused: Set<Int> = []
    /// When each exposure began, by the step's number.
    var starts: [Int: StepStart] = [:]
    var exposedCount = 0
    var hasEnded = false
    var lastProgress: RigTime
    /// No photo of it is larger, in bytes: of a capture of a former run nobody knows which camera it was.
    var largestFile: Int64 = 4 << 30

    init(expectedPhotoCount: Int, stepCount: Int, phase: Phase, lastProgress: RigTime) {
        self.expectedPhotoCount = expectedPhotoCount
        self.stepCount = stepCount
        self.phase = phase
        self.lastProgress = lastProgress
    }

    /// Whether everything that is owed was paid, in photos or in errors.
    var isPaid: Bool { hasEnded && pending.isEmpty && stored.count + failed.count >= expectedPhotoCount }

    var isSettled: Bool {
        switch phase {
        case .preparing, .prepared: false
        case .owing: isPaid
        case .out, .settled: true
        }
    }

    /// Why its photos are waited for no more; nil while they are owed.
    var givenUp: CaptureError? { if case .settled(let error) = phase { error } else { nil } }

    var isExposing: Bool { phase == .owing && !hasEnded && exposedCount < stepCount }

    /// The state that the catalogue keeps.
    var state: CaptureState {
        switch phase {
        case .preparing, .prepared: .preparing
        case .out: .failed
        case .owing where !isPaid: isExposing ? .firing : .collecting
        case .owing, .settled:
            if stored.count == expectedPhotoCount { .complete } else { stored.isEmpty ? .failed : .partial }
        }
    }

    /// Why the part is not whole; nil when it is, or is not settled.
    var error: CaptureError? {
        switch phase {
        case .preparing, .prepared: nil
        case .out(let error), .settled(let error): stored.count == expectedPhotoCount ? nil : error
        case .owing: failed.keys.min().flatMap { failed[$0] }
        }
    }
}

/// When an exposure began, and how well that is known.
struct StepStart {
    let time: RigTime
    let known: StartUncertainty

    /// - Returns: nil for a photo that does not tell.
    init?(_ photo: PhotoRecord) {
        guard let time = photo.exposureStartRigTime, let known = photo.exposureStartKnown else { return nil }
        (self.time, self.known) = (time, known)
    }
}
