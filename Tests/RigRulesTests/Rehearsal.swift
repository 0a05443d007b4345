import CaptureModel
import RigClock
import RigProtocol
import RigRules
import Testing

let camera = CameraCapabilities(
    cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
    dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: 33_000_000, formats: [.jpeg],
    maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))

/// A rig in virtual time: effects are collected, commits succeed at once unless they are held.
struct Rehearsal {
    var machine: RigMachine
    var now = RigTime(nanoseconds: .seconds(1000))
    var wallClock: UTCTime = 1_800_000_000_000_000
    private var members: Set<NodeName> = []
    let caller = Caller(peer: Peer(routingID: [0]), user: "ada", request: 1)
    var sent: [(message: CoordinatorMessage, node: NodeName)] = []
    var replies: [OperatorReply] = []
    var changes: [CatalogueChange] = []
    var pulls: [PhotoPull] = []
    var reports: [String] = []
    var isHoldingCommits = false
    var held: [[RigEffect]] = []
    var isHoldingArchives = false
    /// What waits for an archive.
    var archived: [RigEffect] = []
    /// The capture that was to be made durable last.
    var accepting: UniqueID?
    /// For how long the coordinator's machine has slept.
    var suspended: Int64 = 0
    /// Whether what operators want done cannot be written.
    var isRefusingActs = false

    init(groups: [NodeGroup] = []) {
        machine = RigMachine(
            lastUniqueID: UniqueID(rawValue: 0), lastNews: 0,
            welcome: Welcome(clockPort: 1, bulkPort: 2, epoch: 5, history: 1), groups: groups)
    }

    func peer(_ node: NodeName) -> Peer { Peer(routingID: Array(node.rawValue.utf8)) }

    mutating func take(_ input: RigInput) {
        perform(machine.handle(input, at: Moment(rigTime: now, utc: wallClock, suspended: suspended)))
    }

    private mutating func perform(_ effects: [RigEffect]) {
        for effect in effects {
            switch effect {
            case .send(let message, let peer):
                if let node = NodeName(String(decoding: peer.routingID, as: UTF8.self)) { sent.append((message, node)) }
            case .reply(let reply, _): replies.append(reply)
            case .commit(let more, let then):
                changes += more
                if isHoldingCommits { held.append(then) } else { perform(then) }
            case .act(let more, let caller, let then):
                guard !isRefusingActs else {
                    take(.actFailed(more, caller: caller, reason: "the disk is full"))
                    continue
                }
                changes += more
                if isHoldingCommits { held.append(then) } else { perform(then) }
            case .accept(let id, let more):
                changes += more
                accepting = id
                if !isHoldingCommits { take(.accepted(id)) }
            case .pull(let pull): pulls.append(pull)
            case .archive(_, let then): if isHoldingArchives { archived += then } else { perform(then) }
            case .report(let report): reports.append(report.words)
            case .publish, .stopPulling, .load: break
            }
        }
    }

    mutating func finishArchives() {
        perform(archived)
        archived = []
    }

    mutating func from(_ node: NodeName, _ message: NodeMessage) throws {
        take(.fromNode(peer(node), user: node, message))
    }

    mutating func join(_ nodes: NodeName..., camera: CameraCapabilities = camera) throws {
        members.formUnion(nodes)
        take(.members(Members(active: members)))
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

    mutating func beat(_ node: NodeName, phase: Int64? = 0, bound: Int64 = 1, status: ClockStatus = .active) throws {
        let clock = ClockEstimate(status: status, offsetNanoseconds: 0, boundNanoseconds: bound)
        try from(node, .heartbeat(Heartbeat(clock: ClockReport(estimate: clock, phaseNanoseconds: phase))))
    }

    /// Fires a burst of two, and answers the id, or the refusal.
    ///
    /// - Parameters:
    ///   - at: in nanoseconds from now.
    ///   - queue: whether to wait for nodes that are busy.
    ///   - change: what else the plan says.
    mutating func fire(
        _ policy: CapturePolicy, request: String = "r", at: Int64? = nil, queue: Bool? = nil,
        change: (inout Plan) -> Void = { _ in }
    ) throws -> Result<UniqueID, Refusal> {
        var plan = Plan(name: "p", bracket: try .burst(2), policy: policy)
        change(&plan)
        replies = []
        let request = FireRequest(
            requestID: request, plan: plan, session: nil, labels: [:], at: at.map { .at(wallClock + $0) }, queue: queue)
        take(.fireRequested(caller, request, freeBytes: 1 << 40))
        switch try #require(replies.first) {
        case .fired(let reply): return .success(reply.uniqueID)
        case .refused(let refusal): return .failure(refusal)
        case .checked, .armed, .annotated, .trash, .nodes, .clocks, .pending, .cameras: throw CancellationError()
        }
    }

    ///
    /// - Parameters:
    ///   - lead: what it needs before its first exposure, in milliseconds.
    ///   - steps: how long each takes, in milliseconds.
    mutating func prepared(
        _ node: NodeName, _ id: UniqueID, lead: Int64 = 100, steps: [Int64] = [33, 33],
        settled: SharedSettings = SharedSettings(), starts: StartUncertainty? = nil,
        change: (inout Prepared) -> Void = { _ in }
    ) throws {
        let settings = ResolvedPhotoSettings(
            uniqueID: id, photoDimensions: camera.dimensions, rawPhotoDimensions: .zero, expectedPhotoCount: 2,
            exposures: [])
        let timing = CaptureTiming(
            leadNanoseconds: .milliseconds(lead), stepNanoseconds: steps.map { .milliseconds($0) },
            frameDurationNanoseconds: .milliseconds(33))
        var prepared = Prepared(uniqueID: id, settings: settings, timing: timing, settled: settled, starts: starts)
        change(&prepared)
        try from(node, .prepared(prepared))
    }

    mutating func event(
        _ node: NodeName, _ id: UniqueID, _ sequence: Int, _ kind: CaptureEventKind, photo: Int? = nil,
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
    ///
    /// - Parameters:
    ///   - starts: when each step began, in nanoseconds of rig time.
    ///   - uncertainty: how well that is known, in nanoseconds.
    mutating func deliver(
        _ node: NodeName, _ id: UniqueID, starts: [Int64] = [], uncertainty: Int64 = 1000,
        lamp: RelativeUncertainty? = nil
    ) throws {
        try event(node, id, 1, .willBeginCapture)
        for step in 1...2 {
            try event(node, id, step * 2, .willCapturePhoto)
            try event(node, id, step * 2 + 1, .didCapturePhoto)
        }
        for step in 1...2 {
            try event(node, id, 5 + step, .didFinishProcessingPhoto, photo: step) { event in
                guard starts.count >= step else { return }
                event.photo?.exposureStartRigTime = RigTime(nanoseconds: starts[step - 1])
                event.photo?.exposureStartUncertaintyNanoseconds = uncertainty
                event.photo?.exposureStartRelative = lamp
            }
        }
        try event(node, id, 8, .didFinishCapture)
    }

    /// The photos that were said to have failed.
    func failures() -> [Int] {
        changes.compactMap { if case .photoFailed(let photo, _, _) = $0 { photo.photoCount } else { nil } }
    }

    mutating func arrive(_ node: NodeName) {
        for pull in pulls where pull.key.node == node { take(.photoArrived(pull.key, path: pull.path)) }
        pulls.removeAll { $0.key.node == node }
    }

    func state(_ id: UniqueID) -> (state: CaptureState, reason: String?)? {
        for change in changes.reversed() {
            if case .captureState(id, let state, let reason, _, _) = change { return (state, reason) }
        }
        return nil
    }

    func failures(_ node: NodeName) -> [CaptureError] {
        changes.compactMap { change in
            guard case .photoFailed(let photo, _, let error) = change, photo.node == node else { return nil }
            return error
        }
    }

    func messages(_ node: NodeName) -> [CoordinatorMessage] { sent.filter { $0.node == node }.map(\.message) }

    func fires() -> [Fire] {
        sent.compactMap { if case .fire(let fire) = $0.message { fire } else { nil } }
    }

    func prepares(_ node: NodeName) -> [Prepare] {
        messages(node).compactMap { if case .prepare(let prepare) = $0 { prepare } else { nil } }
    }

    func acknowledged(_ node: NodeName) -> [Int] {
        messages(node).flatMap { if case .stored(let stored) = $0 { stored.sequences } else { [Int]() } }
    }
}

extension Refusal {
    func says(_ text: String) -> Bool { message.contains(text) || details.contains { $0.contains(text) } }
}
