package import CaptureModel
package import RigProtocol

/// Which piece of which photo is asked for next; pure.
///
/// ```
/// waiting --a slot is free--> receiving --last piece--> finishing --durable--> done
///    ^  ^                       |                         |  other bytes than the node hashed
///    |  +---- started over, a few times ------------------+
///    |      the node is gone:   |
///    +<--- resumes where it was-+
/// ```
///
/// A request is the credit for its answer: only so many bytes of each node are on their way or in memory, as its wire
/// carries them (``TransferPace``), and only so many nodes send at a time, in turns; a slow one takes nobody's turn. So a
/// slow node holds up nobody, and memory does not grow with the rig. Once all of a photo has been asked for, the next one
/// is begun if no other node waits: the link is never idle. Within a connection nothing is lost but what a node drops:
/// a piece is asked for again on a new one, or when it is long overdue by the measured pace.
package struct TransferMachine: Sendable {
    /// What the owner does, in order.
    package enum Effect: Sendable, Hashable {
        case request(ChunkRequest, from: Peer)
        /// Write the chunk that just came, at this place.
        case append(PhotoID, offset: Int)
        case finish(PhotoPull)
        case discard(PhotoID)
        case fail(PhotoID, CaptureError)
    }

    /// What became of a photo of which all bytes came, or which a disk stopped.
    package enum Ending: Hashable, Sendable {
        /// It is durable.
        case stored
        /// The bytes are not those that the node hashed, or no picture, or this one file could not be written.
        case unfit(CaptureError)
        /// The library's disk does not take it, and would not if it came again now.
        case notTaken(CaptureError)
    }

    /// How much is asked for.
    package struct Limits: Sendable {
        /// In bytes.
        package var chunkSize = 512 << 10
        /// For each node, in chunks.
        package var credit = 4
        /// Photos of a node at a time, those that are being made durable included.
        package var photos = 4
        /// Nodes that send at a time.
        package var slots = 16

        package init() {}
    }

    /// The time after which a node that sends nothing gives up its slot, in nanoseconds.
    package static let patience = Int64.seconds(3)
    /// The most slow nodes that send for each slot.
    private static let slowNodes = 8
    /// How many times a photo is begun before it counts as lost.
    package static let tries = 3

    /// The slowest that a photo may come, in bytes a second: a slower one would keep its capture open for days.
    package static let leastPace = 1024
    /// The time that every photo has in any case, in nanoseconds, on top of what its size takes at the slowest.
    package static let leastTime = Int64.seconds(60)

    /// A piece that was asked for.
    private struct Piece {
        /// In bytes.
        let length: Int
        let asked: RigTime
        /// How many bytes had come of its node by then.
        let delivered: Int
    }

    private struct Pull {
        let photo: PhotoPull
        let deadline: RigTime
        // In bytes, each at most the one before.
        var requested: Int
        var received: Int
        var written: Int
        /// The pieces that were asked for and have not come, in order.
        var awaited: [Piece] = []

        /// - Parameter ahead: the bytes that come before it.
        init(_ photo: PhotoPull, from offset: Int, behind ahead: Int, now: RigTime) {
            self.photo = photo
            let time = Int64((ahead + photo.file.byteCount - offset) / TransferMachine.leastPace)
            deadline = now + TransferMachine.leastTime + .seconds(time)
            (requested, received, written) = (offset, offset, offset)
        }

        var isRequested: Bool { requested == photo.file.byteCount }
        var isReceived: Bool { received == photo.file.byteCount }
    }

    private struct Queue {
        /// Its bulk plane, once that is open.
        var peer: Peer?
        var waiting: [PhotoPull] = []
        var begun: [Pull] = []
        /// When something came that was waited for, or waiting began.
        var lastProgress = RigTime(nanoseconds: 0)
        /// When that was asked for again last, where nothing came since.
        var lastRepeat: RigTime?
        var pace: TransferPace
        /// How many bytes have come of it.
        var delivered = 0
        /// It has long not sent what it was asked for, and holds no slot.
        var isStalled = false

        var isReceiving: Bool { begun.contains { !$0.isReceived } }
        var isAwaited: Bool { begun.contains { $0.requested > $0.received } }
        var awaitedByteCount: Int { begun.reduce(0) { $0 + $1.requested - $1.received } }

        init(_ limits: Limits) {
            pace = TransferPace(most: limits.credit * limits.chunkSize, largestPiece: limits.chunkSize)
        }

        func index(of key: PhotoID) -> Int? { begun.firstIndex { $0.photo.key == key } }

        /// What was asked for on an old connection will not come.
        mutating func forgetRequests() {
            for index in begun.indices { (begun[index].requested, begun[index].awaited) = (begun[index].received, []) }
        }
    }

    private let limits: Limits
    private var queues: [NodeName: Queue] = [:]
    /// Whose turn it is to begin a photo, the next one first.
    private var line: [NodeName] = []
    /// How much the library has of photos that are not being pulled now, in bytes.
    private var partials: [PhotoID: Int]
    /// How many times a photo came and was not what it should be.
    private var failures: [PhotoID: Int] = [:]

    /// - Parameter partials: what a former run left half-way, in bytes.
    package init(partials: [PhotoID: Int] = [:], limits: Limits = Limits()) {
        self.partials = partials
        self.limits = limits
    }

    /// The number of photos that wait for their turn.
    var waitingCount: Int { queues.values.reduce(0) { $0 + $1.waiting.count } }

    /// What is still to come.
    var outlook: TransferOutlook {
        var outlook = TransferOutlook()
        for queue in queues.values where queue.peer != nil {
            let left =
                queue.waiting.reduce(0) { $0 + $1.file.byteCount }
                + queue.begun.reduce(0) { $0 + $1.photo.file.byteCount - $1.received }
            outlook.add(
                photoCount: queue.waiting.count + queue.begun.count, byteCount: left,
                bytesPerSecond: queue.pace.bytesPerSecond)
        }
        return outlook
    }

    /// A photo of each capture that a node has photos of on their way, or waiting.
    func captures(of node: NodeName) -> [PhotoID] {
        guard let queue = queues[node] else { return [] }
        var known: Set<UniqueID> = []
        return (queue.begun.map(\.photo.key) + queue.waiting.map(\.key)).filter { known.insert($0.uniqueID).inserted }
    }

    /// The nodes that wait for their turn: it is not their fault that nothing comes.
    var standing: [NodeName] { line }

    /// Whether a node's wire is full of photos.
    func isCrowded(_ node: NodeName) -> Bool { queues[node].map { $0.isAwaited && $0.pace.isSlow } ?? false }

    /// The node's bulk plane is open, perhaps again; a node that says so twice still owes what it was asked for.
    package mutating func open(_ node: NodeName, on peer: Peer, now: RigTime) -> [Effect] {
        guard queues[node]?.peer != peer else { return [] }
        queues[node, default: Queue(limits)].peer = peer
        queues[node]?.forgetRequests()
        return request(node, now)
    }

    /// The node is gone; what it had begun resumes when its events come again.
    package mutating func close(_ node: NodeName, now: RigTime) -> [Effect] {
        guard let queue = queues.removeValue(forKey: node) else { return [] }
        line.removeAll { $0 == node }
        for pull in queue.begun where !pull.isReceived { partials[pull.photo.key] = pull.received }
        failures = failures.filter { $0.key.node != node }
        return advance(now)
    }

    /// A photo is to be fetched; one that is already on its way is not begun twice.
    package mutating func enqueue(_ photo: PhotoPull, now: RigTime) -> [Effect] {
        let node = photo.key.node
        let queue = queues[node, default: Queue(limits)]
        guard queue.index(of: photo.key) == nil, !queue.waiting.contains(where: { $0.key == photo.key }) else {
            return []
        }
        queues[node, default: Queue(limits)].waiting.append(photo)
        return stand(node, now)
    }

    /// A piece came, or word that there is none.
    package mutating func chunk(_ chunk: Chunk, byteCount: Int, from node: NodeName, now: RigTime) -> [Effect] {
        let key = PhotoID(uniqueID: chunk.uniqueID, node: node, photoCount: chunk.photoCount)
        guard let index = queues[node]?.index(of: key), var pull = queues[node]?.begun[index], !pull.isReceived else {
            return []
        }
        // Only the next piece counts; another one is the echo of a request that was repeated.
        let offset = pull.received
        guard chunk.offset == offset || chunk.error != nil else { return [] }
        // What was forgotten with its connection may come all the same.
        let expected =
            pull.awaited.first?.length ?? min(byteCount, limits.chunkSize, pull.photo.file.byteCount - offset)
        queues[node]?.delivered += byteCount
        if let piece = pull.awaited.first, let delivered = queues[node]?.delivered {
            queues[node]?.pace.arrived(byteCount: delivered - piece.delivered, after: now - piece.asked)
        }
        queues[node]?.lastProgress = now
        queues[node]?.lastRepeat = nil
        queues[node]?.isStalled = false
        let isWrong =
            byteCount == expected && byteCount > 0
            ? nil : CaptureError(.transferFailed, "Its file is not as long as its node reported.")
        if let error = chunk.error ?? isWrong {
            queues[node]?.begun.remove(at: index)
            return [.discard(key), .fail(key, error)] + request(node, now)
        }
        pull.received += byteCount
        pull.requested = max(pull.requested, pull.received)
        if !pull.awaited.isEmpty { pull.awaited.removeFirst() }
        queues[node]?.begun[index] = pull
        return [.append(key, offset: offset)] + (pull.isReceived ? [.finish(pull.photo)] : [])
    }

    /// A piece is on disk, which gives its credit back: a slow disk holds up the node, not memory.
    package mutating func written(_ key: PhotoID, byteCount: Int, now: RigTime) -> [Effect] {
        guard let index = queues[key.node]?.index(of: key), let pull = queues[key.node]?.begun[index] else { return [] }
        // Pieces of an earlier try count for nothing.
        queues[key.node]?.begun[index].written = min(pull.received, pull.written + byteCount)
        return request(key.node, now)
    }

    /// A photo has come to its end.
    package mutating func finished(_ key: PhotoID, _ ending: Ending, now: RigTime) -> [Effect] {
        guard let index = queues[key.node]?.index(of: key), let pull = queues[key.node]?.begun.remove(at: index) else {
            partials[key] = nil
            return []
        }
        let failureCount = (failures.removeValue(forKey: key) ?? 0) + 1
        switch ending {
        case .stored:
            // It has come by an earlier try, and is no longer wanted from this one.
            return (pull.isReceived ? [] : [.discard(key)]) + request(key.node, now)
        case .notTaken(let error): return [.discard(key), .fail(key, error)] + request(key.node, now)
        case .unfit(let error):
            guard failureCount < Self.tries else { return [.fail(key, error)] + request(key.node, now) }
            failures[key] = failureCount
            queues[key.node]?.waiting.insert(pull.photo, at: 0)
            return [.discard(key)] + request(key.node, now)
        }
    }

    /// Asks again for what did not come, and gives up what comes too slowly.
    package mutating func tick(now: RigTime) -> [Effect] {
        queues.keys.sorted().flatMap { node -> [Effect] in
            if let slow = queues[node]?.begun.firstIndex(where: { !$0.isReceived && now > $0.deadline }),
                let pull = queues[node]?.begun.remove(at: slow)
            {
                let error = CaptureError(
                    .transferFailed, "Its file arrives more slowly than \(Self.leastPace) bytes a second.")
                return [.discard(pull.photo.key), .fail(pull.photo.key, error)] + request(node, now)
            }
            guard let queue = queues[node], queue.isAwaited, now - queue.lastProgress > Self.patience else { return [] }
            let isNews = !queue.isStalled
            queues[node]?.isStalled = true
            return repeated(node, queue, now) + (isNews ? advance(now) : [])
        }
    }

    /// Asks once more for what is long overdue, in the same pieces: those that come after all fit together.
    private mutating func repeated(_ node: NodeName, _ queue: Queue, _ now: RigTime) -> [Effect] {
        let since = now - (queue.lastRepeat ?? queue.lastProgress)
        guard let peer = queue.peer, since > queue.pace.patience(byteCount: queue.awaitedByteCount) else { return [] }
        queues[node]?.lastRepeat = now
        return queue.begun.flatMap { pull in
            var offset = pull.received
            return pull.awaited.map { piece -> Effect in
                defer { offset += piece.length }
                return .request(request(pull, offset, piece.length), from: peer)
            }
        }
    }

    private func request(_ pull: Pull, _ offset: Int, _ length: Int) -> ChunkRequest {
        let key = pull.photo.key
        return ChunkRequest(uniqueID: key.uniqueID, photoCount: key.photoCount, offset: offset, length: length)
    }

    /// Spends what is left of a node's credit, on the photos in the order in which they were begun.
    private mutating func request(_ node: NodeName, _ now: RigTime) -> [Effect] {
        guard var queue = queues[node], let peer = queue.peer else { return [] }
        if !queue.isAwaited { queue.lastProgress = now }
        var effects: [Effect] = []
        var left = queue.pace.window - queue.begun.reduce(0) { $0 + $1.requested - $1.written }
        for (index, pull) in queue.begun.enumerated() {
            var offset = pull.requested
            while offset < pull.photo.file.byteCount, left > 0 {
                let length = min(queue.pace.piece, pull.photo.file.byteCount - offset)
                effects.append(.request(request(pull, offset, length), from: peer))
                queue.begun[index].awaited.append(Piece(length: length, asked: now, delivered: queue.delivered))
                offset += length
                left -= length
            }
            queue.begun[index].requested = offset
        }
        queues[node] = queue
        return effects + stand(node, now)
    }

    /// Begins the node's next photo, or puts the node into the line.
    private mutating func stand(_ node: NodeName, _ now: RigTime) -> [Effect] {
        guard mayBegin(node) else { return advance(now) }
        // It keeps its slot for as long as nobody waits for one.
        if line.isEmpty, queues[node]?.isReceiving == true { return begin(node, now) }
        if !line.contains(node) { line.append(node) }
        return advance(now)
    }

    private func mayBegin(_ node: NodeName) -> Bool {
        guard let queue = queues[node] else { return false }
        return queue.peer != nil && !queue.waiting.isEmpty && queue.begun.count < limits.photos
            && queue.begun.allSatisfy(\.isRequested)
    }

    /// Gives free slots to those who have waited longest.
    private mutating func advance(_ now: RigTime) -> [Effect] {
        var effects: [Effect] = []
        while !line.isEmpty, hasSlot {
            let node = line.removeFirst()
            if mayBegin(node) { effects += begin(node, now) }
        }
        return effects
    }

    private var hasSlot: Bool {
        let sending = queues.values.filter { $0.isReceiving && !$0.isStalled }
        let slow = sending.count { $0.pace.isSlow }
        return sending.count - slow < limits.slots && slow < Self.slowNodes * limits.slots
    }

    private mutating func begin(_ node: NodeName, _ now: RigTime) -> [Effect] {
        guard let photo = queues[node]?.waiting.removeFirst() else { return [] }
        let offset = min(partials.removeValue(forKey: photo.key) ?? 0, photo.file.byteCount)
        let ahead = queues[node]?.begun.reduce(0) { $0 + $1.photo.file.byteCount - $1.received } ?? 0
        let pull = Pull(photo, from: offset, behind: ahead, now: now)
        queues[node]?.begun.append(pull)
        return (pull.isReceived ? [.finish(photo)] : []) + request(node, now)
    }
}
