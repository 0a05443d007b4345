import CaptureModel
import RigProtocol

/// One capture, while the coordinator keeps it in memory.
///
/// ```
/// waiting --its time comes--+--> preparing --quorum--> fired --every part settled--> ended
///     |                     |        |  no quorum, cancelled                          |  a lost node comes back
///     | its nodes are busy  |        +------------------------------> ended <---------+  with its photos
///     v                     |
///   queued --they are free--+      waiting and queued, too, end when they are cancelled
///
/// preparing --quorum, and it is to be held--> armed --the shutter--> fired
/// ```
struct CaptureRecord: Sendable {
    enum Phase: Sendable, Hashable {
        /// For an appointment: nodes are asked to prepare from this instant on.
        case waiting(until: RigTime)
        /// Until none of its nodes is busy with another capture.
        case queued
        case preparing(deadline: RigTime)
        /// Its nodes hold everything ready, and are told so from time to time.
        case armed(until: RigTime, renewed: RigTime)
        case fired(RigTime?)
        case ended(CaptureState, reason: String?)

        /// Whether no node has been asked anything yet, so that it occupies none.
        var isBeforehand: Bool {
            switch self {
            case .waiting, .queued: true
            case .preparing, .armed, .fired, .ended: false
            }
        }

        /// Whether the nodes were told to fire, or never will be.
        var isFired: Bool {
            switch self {
            case .fired, .ended: true
            case .waiting, .queued, .preparing, .armed: false
            }
        }

        var isArmed: Bool { if case .armed = self { true } else { false } }

        /// Whether the answers of its nodes decide on what becomes of it.
        var isDeciding: Bool {
            switch self {
            case .preparing, .armed: true
            case .waiting, .queued, .fired, .ended: false
            }
        }
    }

    let uniqueID: UniqueID
    let plan: Plan
    let createdAt: UTCTime
    var phase: Phase
    var parts: CaptureParts
    /// The operator who asked for it; nil for one of a former run.
    var firedBy: NodeName?
    var isCancelled = false
    /// Whether it was deleted: what nodes still have of it is taken note of, and not fetched.
    var isDeleted = false
    /// Whether it waits for nodes that are busy.
    var isPatient = false
    /// The capture that it was last said to wait for.
    var waitsFor: UniqueID?
    /// Whether it is held once it is prepared, until somebody fires it.
    var isHeld = false
    /// Those who wait for it to be armed.
    var armers: [Caller] = []
    /// The appointment; nil for as soon as possible.
    var fireAt: RigTime?
    /// From when to when it needs its nodes; nil where it has no time of its own.
    var span: ClosedRange<RigTime>?
    /// The appointment as it was asked for, and in UTC.
    var wanted: Instant?
    var appointment: UTCTime?
    /// What all nodes use, once that is agreed on.
    var shared: SharedSettings?
    /// What the photos' files say of it.
    var tags = PhotoTags()
    /// When it was last heard of.
    var touched: RigTime

    /// Names in order: decisions must not depend on a dictionary's order.
    var nodeNames: [NodeName] { parts.keys.sorted() }

    var state: CaptureState {
        switch phase {
        case .waiting, .queued, .preparing, .armed: .preparing
        case .fired: parts.exposingCount > 0 ? .firing : .collecting
        case .ended(let state, _): state
        }
    }

    /// Why the nodes were further apart than the plan allows, or cannot be shown not to have been; nil where they were not.
    var spreadProblem: String? {
        guard let limit = plan.maxSpread else { return nil }
        let limitKept = "the plan's limit of \(Plan.milliseconds(limit)) ms cannot be shown to have been kept."
        for name in nodeNames {
            if let step = (1...plan.bracket.count).first(where: { parts[name]?.starts[$0] == nil }) {
                return "It is not known when node \(name) began step \(step), so \(limitKept)"
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
        return "\(vaguest.words), known to ±\(known) ms, so \(limitKept)"
    }

    /// How far apart the nodes began a step, and how well that is known: as in the view `v_sync`.
    private struct Spread {
        let step: Int
        let nanoseconds: Int64
        let uncertaintyNanoseconds: Int64
        var atMost: Int64 { nanoseconds + uncertaintyNanoseconds }
        var words: String { "The nodes began step \(step) \(Plan.milliseconds(nanoseconds)) ms apart" }
    }

    private func spread(of step: Int) -> Spread? {
        let times = nodeNames.compactMap { name in
            parts[name].flatMap { part in part.starts[step].map { $0.time + -part.offset } }
        }
        guard let first = times.min(), let last = times.max(), times.count > 1 else { return nil }
        let uncertainty = StartUncertainty.ofSpread(nodeNames.compactMap { parts[$0]?.starts[step]?.known })
        return Spread(step: step, nanoseconds: last - first, uncertaintyNanoseconds: uncertainty)
    }

    /// Notes that something other than its nodes is holding it up.
    mutating func excuse(_ now: RigTime) {
        for (name, part) in parts where part.phase == .owing { parts[name]?.lastProgress = max(part.lastProgress, now) }
    }

    /// What a node is asked to prepare.
    ///
    /// - Parameters:
    ///   - groups: those of the rig.
    ///   - shared: what all are to use, once that is agreed on.
    func prepare(_ node: NodeName, _ groups: [NodeGroup], sharing shared: SharedSettings? = nil) -> Prepare {
        var plan = plan.own(of: node, groups)
        // Its group may say what the plan does not; of others' it needs nothing.
        if let offset = parts[node]?.offset, offset != plan.offset(of: node) {
            plan.offsets = [FiringOffset(nodes: NodePattern(node), nanoseconds: offset)]
        }
        return Prepare(uniqueID: uniqueID, plan: plan, shared: shared, tags: tags)
    }

    /// Where a node's part stands, for the catalogue.
    func change(of node: NodeName) -> CatalogueChange? {
        guard let part = parts[node] else { return nil }
        let state: CaptureState = isCancelled && part.isSettled && part.state != .complete ? .cancelled : part.state
        return .captureNodeState(uniqueID, node: node, part.kept, state, part.error)
    }

    /// The final state and its reason, once every part is settled; nil before.
    func verdict() -> (state: CaptureState, reason: String?)? {
        guard parts.unsettledCount == 0 else { return nil }
        let whole = nodeNames.filter { parts[$0]?.state == .complete }
        var said: [NodeName: String] = [:]
        for name in nodeNames { said[name] = parts[name]?.error?.message }
        let reasons = FoldedReasons.lines(said)
        let reason = reasons.isEmpty ? nil : reasons.joined(separator: "; ")
        if isCancelled { return (.cancelled, reason ?? "It was cancelled.") }
        if whole.count == parts.count {
            return spreadProblem.map { (.partial, $0) } ?? (.complete, nil)
        }
        let isEnough =
            switch plan.policy {
            case .all: false
            case .atLeast(let count): whole.count >= count
            case .bestEffort: parts.storedPhotoCount > 0
            }
        return (isEnough ? .partial : .failed, reason)
    }

    /// Why a node can have no events: nobody was told to fire. In a capture of a former run they were, for all we know.
    func objection(toEventOf node: NodeName) -> String? {
        switch phase {
        case .waiting, .queued, .preparing, .armed:
            "Node \(node) sent an event of capture \(uniqueID), which has not been fired yet."
        case .fired, .ended: nil
        }
    }
}
