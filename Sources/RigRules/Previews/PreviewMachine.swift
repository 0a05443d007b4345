import CaptureModel
package import RigProtocol

/// Which nodes are asked for what their cameras see, and who is told; pure.
///
/// ```
/// an operator asks ---> waiting ---all have come, or some have at a tick---> answered
///                         | ^     nothing within two seconds: an empty answer --^
///        not asked yet:   v |
///                 node: asked ---picture, or none for three seconds---> known, for two seconds
/// ```
///
/// An operator's request is the credit for one answer, and makes a node be asked once: a node works as fast as the
/// fastest operator looks, however many do, and not at all while nobody does.
package struct PreviewMachine: Sendable {
    /// What the owner does.
    package enum Effect: Sendable, Hashable {
        case request(PreviewRequest, from: Peer)
        case reply(PreviewsReply, bytes: [UInt8], to: Caller)
        case refuse(Refusal, Caller)
    }

    /// The time that a node has to answer, before it is said that it does not and it is asked again, in nanoseconds.
    static let patience = Int64.seconds(3)
    /// How long a picture is news, in nanoseconds.
    static let freshness = Int64.seconds(2)
    /// How long an operator waits at most, in nanoseconds.
    static let longestWait = Int64.seconds(2)
    /// The requests of one operator, and the nodes of all requests, that are waited for at most.
    static let most = (requests: 64, nodes: 20_000)
    /// What the pictures of an answer come to at most, in bytes; the next one has the rest.
    static let mostBytes = 4 << 20

    private struct Subject: Hashable {
        let node: NodeName
        let size: PreviewSize
    }

    private struct Picture {
        let preview: Preview
        let bytes: [UInt8]
        let number: Int
        let since: RigTime
    }

    private struct Waiting {
        let caller: Caller
        let size: PreviewSize
        let seen: [NodeName: Int]
        let since: RigTime
        /// Connected nodes of which nothing new has come.
        var missing: Set<NodeName>
        /// Whether it can be answered before a tick: nothing of it was known already, or is an error. So nobody is
        /// answered faster than nodes or ticks go.
        var isPrompt = true
        var hasNews = false
    }

    /// The nodes' bulk planes.
    private var peers: [NodeName: Peer] = [:]
    /// Since when a node is expected to answer.
    private var asked: [Subject: RigTime] = [:]
    private var pictures: [Subject: Picture] = [:]
    private var waiting: [Waiting] = []
    private var lastNumber = 0
    /// Those whose wire is full of photos, which come first: they are asked for nothing.
    private var crowded: Set<NodeName> = []

    package init() {}

    /// A node's bulk plane is open.
    mutating func open(_ node: NodeName, on peer: Peer, now: RigTime) -> [Effect] {
        guard peers[node] != peer else { return [] }
        // What another connection was asked for does not come any more.
        close(node)
        peers[node] = peer
        var effects: [Effect] = []
        for index in waiting.indices {
            guard let number = waiting[index].seen[node] else { continue }
            let subject = Subject(node: node, size: waiting[index].size)
            guard news(subject, after: number, now) == nil else { continue }
            waiting[index].missing.insert(node)
            effects += ask(subject, now)
        }
        return effects
    }

    /// A node is gone.
    mutating func close(_ node: NodeName) {
        peers[node] = nil
        for size in PreviewSize.allCases { asked[Subject(node: node, size: size)] = nil }
        for index in waiting.indices { waiting[index].missing.remove(node) }
    }

    /// An operator asks.
    mutating func request(_ request: PreviewsRequest, from caller: Caller, now: RigTime) -> [Effect] {
        guard let nodes = request.nodes else {
            let message = "Previews are of 1 to \(PreviewsRequest.mostNodes) nodes, by their names."
            return [.refuse(Refusal(.invalid, message), caller)]
        }
        let own = waiting.count { $0.caller.user == caller.user }
        guard own < Self.most.requests, waiting.reduce(nodes.count, { $0 + $1.seen.count }) <= Self.most.nodes else {
            return [
                .refuse(Refusal(.tryAgain, "Too many requests wait for pictures already; ask again later."), caller)
            ]
        }
        // What was seen of a coordinator that ran before says nothing of this one's pictures.
        let seen = nodes.mapValues { $0 > lastNumber ? 0 : $0 }
        // What is known already and not seen yet comes first, and nobody is asked for more of it before it is.
        let missing = seen.filter { node, number in
            peers[node] != nil && news(Subject(node: node, size: request.size), after: number, now) == nil
        }
        var one = Waiting(caller: caller, size: request.size, seen: seen, since: now, missing: Set(missing.keys))
        one.hasNews = seen.contains { node, number in
            news(Subject(node: node, size: request.size), after: number, now) != nil
        }
        one.isPrompt = !one.hasNews
        waiting.append(one)
        return missing.keys.sorted().flatMap { ask(Subject(node: $0, size: request.size), now) }
    }

    /// A node answered. What nobody asked for is not looked at.
    mutating func preview(_ preview: Preview, _ bytes: [UInt8], from node: NodeName, now: RigTime) -> [Effect] {
        let subject = Subject(node: node, size: preview.size)
        guard asked.removeValue(forKey: subject) != nil else { return [] }
        keep(preview.sound(with: bytes), bytes, of: subject, now)
        return answer(now) { $0.missing.isEmpty && $0.isPrompt && $0.hasNews }
    }

    /// Time passes.
    ///
    /// - Parameter isCrowded: whether a node's wire is full of photos.
    mutating func tick(now: RigTime, isCrowded: (NodeName) -> Bool = { _ in false }) -> [Effect] {
        crowded = Set(peers.keys.filter(isCrowded))
        for (subject, since) in asked where now - since > Self.patience {
            asked[subject] = nil
            let error = CaptureError(.stalled, "It has sent no picture for \(Self.patience / .seconds(1)) s.")
            keep(Preview(size: subject.size, error: error), [], of: subject, now)
        }
        // Those who look at many get together what came between two ticks.
        let effects = answer(now) { $0.hasNews || now - $0.since > Self.longestWait }
        pictures = pictures.filter { now - $0.value.since <= Self.freshness }
        return effects
    }

    private mutating func keep(_ preview: Preview, _ bytes: [UInt8], of subject: Subject, _ now: RigTime) {
        lastNumber += 1
        pictures[subject] = Picture(preview: preview, bytes: bytes, number: lastNumber, since: now)
        for index in waiting.indices where waiting[index].size == subject.size {
            guard waiting[index].seen[subject.node] != nil else { continue }
            waiting[index].missing.remove(subject.node)
            waiting[index].hasNews = true
            if preview.error != nil { waiting[index].isPrompt = false }
        }
    }

    private mutating func ask(_ subject: Subject, _ now: RigTime) -> [Effect] {
        guard let peer = peers[subject.node], asked[subject] == nil, !crowded.contains(subject.node) else { return [] }
        asked[subject] = now
        return [.request(PreviewRequest(size: subject.size), from: peer)]
    }

    private func news(_ subject: Subject, after number: Int, _ now: RigTime) -> Picture? {
        pictures[subject].flatMap { $0.number > number && now - $0.since <= Self.freshness ? $0 : nil }
    }

    private mutating func answer(_ now: RigTime, where isDue: (Waiting) -> Bool) -> [Effect] {
        let due = waiting.filter(isDue)
        guard !due.isEmpty else { return [] }
        waiting.removeAll(where: isDue)
        return due.map { reply(to: $0, now) }
    }

    private func reply(to one: Waiting, _ now: RigTime) -> Effect {
        var reply = PreviewsReply()
        var chosen: [(node: NodeName, picture: Picture)] = []
        for (node, number) in one.seen {
            if peers[node] == nil {
                reply.problems[node.rawValue] = "It is not connected."
            } else if let picture = news(Subject(node: node, size: one.size), after: number, now) {
                if let error = picture.preview.error {
                    reply.problems[node.rawValue] = error.message
                } else {
                    chosen.append((node, picture))
                }
            } else if crowded.contains(node) {
                reply.problems[node.rawValue] = "Its network is slow, and carries photos now; pictures come after them."
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(Self.mostBytes, chosen.reduce(0) { $0 + $1.picture.bytes.count }))
        // Those that have waited longest, in case there is no room for all.
        for (node, picture) in chosen.sorted(by: { $0.picture.number < $1.picture.number })
        where bytes.isEmpty || bytes.count + picture.bytes.count <= Self.mostBytes {
            reply.pictures.append(
                .init(node: node, number: picture.number, byteCount: picture.bytes.count, of: picture.preview))
            bytes += picture.bytes
        }
        return .reply(reply, bytes: bytes, to: one.caller)
    }
}
