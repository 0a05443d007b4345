import CaptureModel
package import RigProtocol

/// Which nodes are asked for what their cameras see, and who is told; pure.
///
/// ```
/// an operator asks ---> waiting ---all have come, or some and a moment has passed---> answered
///                         | ^            nothing within two seconds: an empty answer --^
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
    /// The operators' requests that wait at most.
    static let mostWaiting = 64
    /// What an answer holds at most, in bytes; the next one has the rest.
    static let mostBytes = 16 << 20

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
    }

    /// The nodes' bulk planes.
    private var peers: [NodeName: Peer] = [:]
    /// Since when a node is expected to answer.
    private var asked: [Subject: RigTime] = [:]
    private var pictures: [Subject: Picture] = [:]
    private var waiting: [Waiting] = []
    private var lastNumber = 0

    package init() {}

    /// A node's bulk plane is open.
    mutating func open(_ node: NodeName, on peer: Peer, now: RigTime) -> [Effect] {
        guard peers[node] != peer else { return [] }
        peers[node] = peer
        // What another connection was asked for does not come any more.
        for size in PreviewSize.allCases { asked[Subject(node: node, size: size)] = nil }
        return waiting.filter { $0.seen[node] != nil }.flatMap { ask(of: [node], $0.size, now) }
    }

    /// A node is gone.
    mutating func close(_ node: NodeName) {
        peers[node] = nil
        for size in PreviewSize.allCases { asked[Subject(node: node, size: size)] = nil }
    }

    /// An operator asks.
    mutating func request(_ request: PreviewsRequest, from caller: Caller, now: RigTime) -> [Effect] {
        guard request.problem == nil, let seen = request.nodes else {
            return [.refuse(Refusal(.invalid, request.problem ?? ""), caller)]
        }
        guard waiting.count < Self.mostWaiting else {
            let message = "\(Self.mostWaiting) requests wait for pictures already; ask again later."
            return [.refuse(Refusal(.tryAgain, message), caller)]
        }
        let size = request.size
        // What is known already and not seen yet comes first, and nobody is asked for more of it before it is.
        let missing = seen.filter { node, number in news(Subject(node: node, size: size), after: number, now) == nil }
        waiting.append(Waiting(caller: caller, size: size, seen: seen, since: now))
        return ask(of: missing.keys.sorted(), size, now) + answer(now, isTick: false)
    }

    /// A node answered. What nobody asked for is not looked at.
    mutating func preview(_ preview: Preview, _ bytes: [UInt8], from node: NodeName, now: RigTime) -> [Effect] {
        let subject = Subject(node: node, size: preview.size)
        guard asked.removeValue(forKey: subject) != nil else { return [] }
        keep(preview, bytes, of: subject, now)
        return answer(now, isTick: false)
    }

    /// Time passes.
    mutating func tick(now: RigTime) -> [Effect] {
        for (subject, since) in asked where now - since > Self.patience {
            asked[subject] = nil
            let error = CaptureError(.stalled, "It has sent no picture for \(Self.patience / .seconds(1)) s.")
            keep(Preview(size: subject.size, error: error), [], of: subject, now)
        }
        let effects = answer(now, isTick: true)
        pictures = pictures.filter { now - $0.value.since <= Self.freshness }
        return effects
    }

    private mutating func keep(_ preview: Preview, _ bytes: [UInt8], of subject: Subject, _ now: RigTime) {
        lastNumber += 1
        pictures[subject] = Picture(preview: preview, bytes: bytes, number: lastNumber, since: now)
    }

    private mutating func ask(of nodes: [NodeName], _ size: PreviewSize, _ now: RigTime) -> [Effect] {
        nodes.compactMap { node in
            let subject = Subject(node: node, size: size)
            guard let peer = peers[node], asked[subject] == nil else { return nil }
            asked[subject] = now
            return .request(PreviewRequest(size: size), from: peer)
        }
    }

    private func news(_ subject: Subject, after number: Int, _ now: RigTime) -> Picture? {
        pictures[subject].flatMap { $0.number > number && now - $0.since <= Self.freshness ? $0 : nil }
    }

    /// Answers those who have waited long enough.
    private mutating func answer(_ now: RigTime, isTick: Bool) -> [Effect] {
        var effects: [Effect] = []
        waiting = waiting.filter { one in
            let known = one.seen.reduce(into: [NodeName: Picture]()) { known, seen in
                known[seen.key] = news(Subject(node: seen.key, size: one.size), after: seen.value, now)
            }
            let expected = one.seen.keys.filter { peers[$0] != nil }
            // Those who see many get what came between two ticks at once; and whoever looks through a camera that cannot
            // be looked through asks again no sooner.
            let isWhole = known.count >= expected.count && known.values.allSatisfy { $0.preview.error == nil }
            let isDue = !known.isEmpty && (isWhole || isTick) || now - one.since > Self.longestWait
            guard isDue else { return true }
            effects.append(reply(known, to: one))
            return false
        }
        return effects
    }

    private func reply(_ known: [NodeName: Picture], to one: Waiting) -> Effect {
        var reply = PreviewsReply()
        var bytes: [UInt8] = []
        for node in one.seen.keys where peers[node] == nil {
            reply.problems[node.rawValue] = "It is not connected, or there is no such node."
        }
        // Those that have waited longest, in case that there is no room for all.
        for (node, picture) in known.sorted(by: { $0.value.number < $1.value.number }) {
            if let error = picture.preview.error {
                reply.problems[node.rawValue] = error.message
            } else if bytes.isEmpty || bytes.count + picture.bytes.count <= Self.mostBytes {
                reply.pictures.append(
                    .init(node: node, number: picture.number, byteCount: picture.bytes.count, of: picture.preview))
                bytes += picture.bytes
            }
        }
        return .reply(reply, bytes: bytes, to: one.caller)
    }
}
