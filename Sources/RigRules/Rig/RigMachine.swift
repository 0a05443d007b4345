package import CaptureModel
import RigClock
package import RigProtocol

/// What a coordinator does about what happens to its rig; pure: time comes in as values.
///
/// Its states are drawn in ``CaptureRecord`` and ``CapturePart``. An acknowledgement follows the commit that it
/// confirms, so that it cannot overtake it.
package struct RigMachine: Sendable {
    /// The silence after which a node is unreachable.
    package static let liveness = Int64.seconds(3)
    /// A node that has not answered a prepare by then is out.
    package static let prepareLimit = Int64.seconds(10)
    /// A node that needs longer before its first exposure is waited for only where the plan says so.
    package static let longestLead = Int64.seconds(30)
    /// The time without progress after which a node that owes photos is settled.
    package static let progressLimit = Int64.seconds(30)
    /// The time that nodes have after a coordinator's start to come back for captures that a former run left.
    package static let returnLimit = Int64.seconds(15)
    /// Added to the longest lead of the nodes and to the order's way: for a busy board.
    package static let fireMargin = Int64.milliseconds(60)
    /// The same where the nodes hold everything ready.
    package static let armedMargin = Int64.milliseconds(20)
    /// The interval at which nodes are told to go on holding what is armed: they give up what they do not hear of.
    static let armedRenewal = Int64.seconds(10)
    /// What a capture must leave free in the library, in bytes.
    package static let libraryReserve = FireRequest.libraryReserve
    /// An epoch further ahead of the wall clock than this comes from a coordinator whose clock was wrong.
    static let epochTolerance = Int64.seconds(86_400)
    /// No node's word moves ids further ahead of the wall clock than this: all later ids would be as far ahead.
    static let idTolerance = Int64.seconds(600)
    /// A clock that shows less has not been set: 2025.
    static let earliest: UTCTime = 1_735_689_600_000_000
    /// A node that was turned away says hello again sooner than this, if it is still there.
    package static let rejectionLimit = Int64.seconds(10)
    /// The number of reports of each node's clock that are kept: two minutes.
    static let rememberedClocks = 120
    /// The most captures of one operator that are not over, appointments included.
    static let mostOfOneOperator = 64
    /// The most captures that are looked up at a time: a node may have events of any.
    static let mostLoading = 256
    /// By then the catalogue has what people said, however slow it is.
    static let annotationLimit = Int64.seconds(3600)
    /// The number of ended captures that are kept in memory, for nodes that come back.
    static let rememberedCaptures = 256

    struct Node: Sendable {
        var peer: Peer?
        var instance = ""
        var capabilities: CameraCapabilities?
        /// The release of its program.
        var software: String?
        var cameraError: CaptureError?
        /// What its spool may still take, in bytes; nil before it has said so.
        var spoolFreeBytes: Int64?
        /// What it reported of its clock, once a second, the newest last.
        var clocks: [ClockReport] = []

        var clock: ClockReport? { clocks.last }
        var lastHeard: RigTime?
        var isConnected = false
        /// Whether it only delivers what it owes.
        var isRetired = false
        /// The captures of which its spool holds something; nil where it is of a release that does not say.
        var keepsCount: Int?
        /// What it reported of its board last; nil where it is of a release that does not.
        var board: BoardReport?
        /// The largest file of each format that its camera made lately, in bytes: what is to come is much like that.
        var seen: [PhotoFormat: Int64] = [:]
        /// Why it was turned away, for its version or for another coordinator, and when; nil once it is let in.
        var rejection: (reason: String, at: RigTime)?
        var announced: NodeSummary.State?
        var announcedAt: RigTime?

        /// Why this many photos do not fit into its spool; nil where they do, or nothing is known.
        ///
        /// - Parameter largest: no photo of its camera is larger, in bytes.
        func spoolObjection(
            _ name: NodeName, photoCount: Int, largest: (CameraCapabilities) -> Int64
        ) -> CaptureError? {
            guard let spoolFreeBytes, let capabilities else { return nil }
            return Plan.objection(
                toSpool: spoolFreeBytes, of: name, photoCount: photoCount, largest: largest(capabilities))
        }
    }

    let welcome: Welcome
    /// As the rig's configuration has them.
    let groups: [NodeGroup]
    var nodes: [NodeName: Node] = [:]
    var captures: [UniqueID: CaptureRecord] = [:]
    var requests: [String: UniqueID] = [:]
    /// Captures that are not durable yet, with the callers that wait for an answer.
    var accepting: [UniqueID: [Caller]] = [:]
    /// Requests whose capture was refused after all; what the catalogue still says of them is on its way out.
    var withdrawn: Set<String> = []
    /// Captures that wait for nodes to be free, in the order in which they begin; some may have been cancelled.
    var queue: [UniqueID] = []
    var allocator: UniqueIDAllocator
    var loading: Set<UniqueID> = []
    /// Captures of which people have said something lately, and when.
    var annotated: [UniqueID: RigTime] = [:]
    /// When what is being handled happened.
    private(set) var now = RigTime(nanoseconds: 0)
    private(set) var utc: UTCTime = 0
    /// The number of the latest news.
    package private(set) var lastNews: Int64
    /// What operators ask of cameras, by number.
    var inquiries: [Int: Inquiry] = [:]
    var lastInquiry: Int
    var tally = Tally()
    private var lastBeat: RigTime?
    private var anchor = UTCAnchor()

    /// - Parameters:
    ///   - lastUniqueID: the greatest in the catalogue, as is `lastNews`.
    ///   - welcome: what each node is told.
    package init(lastUniqueID: UniqueID, lastNews: Int64, welcome: Welcome, groups: [NodeGroup] = []) {
        allocator = UniqueIDAllocator(last: lastUniqueID)
        self.lastNews = lastNews
        (self.welcome, self.groups) = (welcome, groups)
        // A former coordinator's may be answered still.
        lastInquiry = Int(welcome.epoch)
    }

    /// Whether it knows better than the catalogue what became of a request.
    package func knows(_ requestID: String) -> Bool { requests[requestID] != nil || withdrawn.contains(requestID) }

    /// Takes what happened and says what to do.
    package mutating func handle(_ input: RigInput, at moment: Moment) -> [RigEffect] {
        (now, utc) = (moment.rigTime, moment.utc)
        switch input {
        case .tick: return tick(moment)
        case .members(let members): return setMembers(members)
        case .fromNode(let peer, let user, let message):
            return fromNode(peer, user, message)
        case .unreadable(let peer, let user, let error): return unreadable(peer, user, error)
        case .fireRequested(let caller, let request, let freeBytes):
            return fireRequested(caller, request, freeBytes)
        case .armRequested(let caller, let request, let freeBytes): return armRequested(caller, request, freeBytes)
        case .releaseRequested(let caller, let request): return released(request.uniqueID, caller)
        case .checkRequested(let caller, let request, let freeBytes):
            return [.reply(check(request.order, of: caller.user, freeBytes), to: caller)]
        case .annotateRequested(let caller, let annotation, let captures, let photos):
            return annotate(captures, photos, annotation, caller)
        case .trashRequested(let caller, let order, let reply): return trash(order, reply, caller)
        case .cancelRequested(let caller, let id): return cancelRequested(caller, id)
        case .nodesRequested(let caller):
            return [.reply(.nodes(NodesReply(nodes: summaries())), to: caller)]
        case .moveStartsRequested(let caller, let request):
            return request.moves.flatMap { tell($0.node, .moveStart($0.move)) } + [
                .reply(.nodes(NodesReply(nodes: summaries())), to: caller)
            ]
        case .identifyRequested(let caller, let request): return identify(request, caller)
        case .cameraRequested(let caller, let request): return cameraRequested(caller, request)
        case .clocksRequested(let caller):
            let histories = nodes.keys.sorted().map { name in
                ClocksReply.History(node: name, reports: nodes[name]?.clocks ?? [])
            }
            return [.reply(.clocks(ClocksReply(nodes: histories)), to: caller)]
        case .pendingRequested(let caller): return [.reply(.pending(pending), to: caller)]
        case .accepted(let id): return accepted(id)
        case .acceptFailed(let id, let reason): return acceptFailed(id, reason)
        case .actFailed(let changes, let caller, let reason): return actFailed(changes, caller, reason)
        case .loaded(let id, let capture): return loaded(id, capture)
        case .catalogueIsBusy:
            for id in captures.keys { captures[id]?.excuse(now) }
            return []
        case .heard(let name):
            // Its heartbeats wait behind its photos, on a wire that is full of them.
            if nodes[name]?.isConnected == true { nodes[name]?.lastHeard = now }
            return []
        case .progress(let key):
            captures[key.uniqueID]?.parts[key.node]?.lastProgress = now
            return []
        case .commitRefused(let changes): return changes.flatMap { refused($0) } + repeated(changes)
        case .photoArrived(let key, let path): return photoArrived(key, path)
        case .photoFailed(let key, let error): return photoFailed(key, error)
        }
    }

    private mutating func tick(_ moment: Moment) -> [RigEffect] {
        var effects: [RigEffect] = []
        for name in nodes.keys.sorted() {
            guard let node = nodes[name], node.isConnected, let heard = node.lastHeard else { continue }
            if now - heard > Self.liveness { effects += lose(name, "Node \(name) does not answer.") }
        }
        for id in captures.keys.sorted() { effects += checkDeadlines(of: id) }
        effects += beginQueued()
        effects += endInquiries()
        let changes = anchor.read(moment)
        if !changes.isEmpty { effects.append(.commit(changes, then: [])) }
        if lastBeat.map({ now - $0 >= .seconds(1) }) ?? true {
            lastBeat = now
            let grids = grids()
            for name in nodes.keys.sorted() {
                if let node = nodes[name], node.isConnected, let peer = node.peer {
                    effects.append(.send(.heartbeat(Heartbeat(grid: grids[name])), to: peer))
                }
            }
        }
        forget()
        return effects + announceNodes()
    }

    /// Numbers a piece of news; it goes into the commit that makes it true, and is announced after that.
    mutating func news(_ content: News.Content) -> News {
        let news = News(number: max(lastNews + 1, utc.rawValue), previous: lastNews, content: content)
        lastNews = news.number
        return news
    }

    /// Forgets the ended captures that have not been heard of for the longest time.
    private mutating func forget() {
        annotated = annotated.filter { now - $0.value < Self.annotationLimit }
        let ended = captures.values.filter { $0.state.isFinal }
            .sorted { ($0.touched, $0.uniqueID) < ($1.touched, $1.uniqueID) }
        for record in ended.dropLast(Self.rememberedCaptures) {
            captures[record.uniqueID] = nil
            requests = requests.filter { $0.value != record.uniqueID }
        }
    }
}
