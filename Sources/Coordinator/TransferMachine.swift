package import CaptureModel
package import PhotoStore
package import RigProtocol

/// Which piece of which photo is asked for next; pure.
///
/// ```
/// waiting --a slot is free--> active --last piece--> finishing --durable--> done
///    ^  ^                       |                        |  other bytes than the node hashed
///    |  +---- begun anew, some times --------------------+
///    |      the node is gone:   |
///    +<--- goes on where it was-+
/// ```
///
/// A request is the credit for its answer: of each photo at most `credit` pieces are on their way or in memory, and
/// only so many photos are begun at a time, of the nodes in turns. So a slow node holds up nobody, and memory does not
/// grow with the rig. While a photo becomes durable the next one of its node is on its way.
package struct TransferMachine: Sendable {
    /// What the owner does, in order.
    package enum Effect: Sendable, Hashable {
        case request(ChunkRequest, node: String)
        /// Write the chunk that just came, at this place.
        case append(Library.Key, offset: Int)
        case finish(PhotoPull)
        case discard(Library.Key)
        case fail(Library.Key, CaptureError)
    }

    /// How much is asked for.
    package struct Limits: Sendable {
        /// In bytes.
        package var chunkSize = 256 << 10
        /// Pieces of a photo.
        package var credit = 4
        /// Photos at a time.
        package var slots = 16
        /// Photos of a node that become durable while the next one comes.
        package var finishing = 3

        package init() {}
    }

    /// A chunk that has not come by then is asked for again, in nanoseconds.
    package static let patience = Int64.seconds(3)
    /// How often a photo is begun before it counts as lost.
    package static let tries = 3

    private struct Pull {
        let photo: PhotoPull
        var requested: Int
        var received: Int
        var written: Int
        var lastProgress: RigTime

        init(_ photo: PhotoPull, from offset: Int, now: RigTime) {
            self.photo = photo
            (requested, received, written) = (offset, offset, offset)
            lastProgress = now
        }
    }

    private struct Queue {
        var isOpen = false
        var waiting: [PhotoPull] = []
        var active: Pull?
        var finishing: [Library.Key: PhotoPull] = [:]

        var begunCount: Int { finishing.count + (active == nil ? 0 : 1) }
    }

    private let limits: Limits
    private var queues: [String: Queue] = [:]
    /// Whose turn it is to become active, the next one first.
    private var line: [String] = []
    /// What is in the library of photos that nobody pulls now, in bytes.
    private var partials: [Library.Key: Int]
    /// How often a photo came and was not what it should be.
    private var failures: [Library.Key: Int] = [:]

    /// - Parameter partials: what a former run left half-way, in bytes.
    package init(partials: [Library.Key: Int] = [:], limits: Limits = Limits()) {
        self.partials = partials
        self.limits = limits
    }

    /// The node's bulk plane is there, perhaps again.
    package mutating func open(_ node: String, now: RigTime) -> [Effect] {
        queues[node, default: Queue()].isOpen = true
        guard var active = queues[node]?.active else { return stand(node, now) }
        // What was asked for on the old connection does not come.
        (active.requested, active.lastProgress) = (active.received, now)
        queues[node]?.active = active
        return request(node)
    }

    /// The node is gone; what it had begun goes on when its events come again.
    package mutating func close(_ node: String, now: RigTime) -> [Effect] {
        guard let queue = queues.removeValue(forKey: node) else { return [] }
        line.removeAll { $0 == node }
        if let active = queue.active { partials[active.photo.key] = active.received }
        failures = failures.filter { $0.key.node != node }
        return advance(now)
    }

    /// A photo is to be fetched; one that is already on its way is not begun twice.
    package mutating func enqueue(_ photo: PhotoPull, now: RigTime) -> [Effect] {
        var queue = queues[photo.key.node] ?? Queue()
        guard queue.active?.photo.key != photo.key, queue.finishing[photo.key] == nil,
            !queue.waiting.contains(where: { $0.key == photo.key })
        else { return [] }
        queue.waiting.append(photo)
        queues[photo.key.node] = queue
        return stand(photo.key.node, now)
    }

    /// A piece came, or word that there is none.
    package mutating func chunk(_ chunk: Chunk, byteCount: Int, from node: String, now: RigTime) -> [Effect] {
        guard var active = queues[node]?.active, active.photo.key.uniqueID == chunk.uniqueID,
            active.photo.key.photoCount == chunk.photoCount
        else { return [] }
        if let error = chunk.error {
            queues[node]?.active = nil
            return [.discard(active.photo.key), .fail(active.photo.key, error)] + stand(node, now)
        }
        // Only the next piece counts; another one is the echo of a request that was repeated.
        let offset = active.received
        let expected = min(limits.chunkSize, active.photo.file.byteCount - offset)
        guard chunk.offset == offset, byteCount == expected else { return [] }
        active.received += byteCount
        active.lastProgress = now
        queues[node]?.active = active
        let append = Effect.append(active.photo.key, offset: offset)
        guard active.received == active.photo.file.byteCount else { return [append] }
        return [append] + finish(active.photo, now)
    }

    private mutating func finish(_ photo: PhotoPull, _ now: RigTime) -> [Effect] {
        queues[photo.key.node]?.active = nil
        queues[photo.key.node]?.finishing[photo.key] = photo
        return [.finish(photo)] + stand(photo.key.node, now)
    }

    /// A piece is on disk, which gives its credit back: a slow disk holds up the node, not memory.
    package mutating func written(_ key: Library.Key, byteCount: Int) -> [Effect] {
        guard let active = queues[key.node]?.active, active.photo.key == key else { return [] }
        // Pieces of an earlier try count for nothing.
        queues[key.node]?.active?.written = min(active.received, active.written + byteCount)
        return request(key.node)
    }

    /// The photo is durable, or it could not be written, or the bytes were not those that the node hashed.
    package mutating func finished(_ key: Library.Key, error: CaptureError?, now: RigTime) -> [Effect] {
        guard let photo = takeBegun(key) else {
            partials[key] = nil
            return []
        }
        let failureCount = (failures.removeValue(forKey: key) ?? 0) + 1
        guard let error else { return stand(key.node, now) }
        guard failureCount < Self.tries else { return [.fail(key, error)] + stand(key.node, now) }
        failures[key] = failureCount
        queues[key.node]?.waiting.insert(photo, at: 0)
        return [.discard(key)] + stand(key.node, now)
    }

    private mutating func takeBegun(_ key: Library.Key) -> PhotoPull? {
        if let photo = queues[key.node]?.finishing.removeValue(forKey: key) { return photo }
        guard let active = queues[key.node]?.active, active.photo.key == key else { return nil }
        queues[key.node]?.active = nil
        return active.photo
    }

    /// Asks again for what did not come.
    package mutating func tick(now: RigTime) -> [Effect] {
        queues.keys.sorted().flatMap { node -> [Effect] in
            guard let active = queues[node]?.active, queues[node]?.isOpen == true,
                now - active.lastProgress > Self.patience
            else { return [] }
            queues[node]?.active?.requested = active.received
            queues[node]?.active?.lastProgress = now
            return request(node)
        }
    }

    /// Puts a node that has photos into the line.
    private mutating func stand(_ node: String, _ now: RigTime) -> [Effect] {
        if let queue = queues[node], queue.isOpen, queue.active == nil, queue.finishing.count <= limits.finishing,
            !queue.waiting.isEmpty, !line.contains(node)
        {
            line.append(node)
        }
        return advance(now)
    }

    private mutating func advance(_ now: RigTime) -> [Effect] {
        var effects: [Effect] = []
        while !line.isEmpty, queues.values.reduce(0, { $0 + $1.begunCount }) < limits.slots {
            let node = line.removeFirst()
            guard let photo = queues[node]?.waiting.removeFirst() else { continue }
            let offset = min(partials.removeValue(forKey: photo.key) ?? 0, photo.file.byteCount)
            queues[node]?.active = Pull(photo, from: offset, now: now)
            effects += offset == photo.file.byteCount ? finish(photo, now) : request(node)
        }
        return effects
    }

    /// Spends what is left of the credit.
    private mutating func request(_ node: String) -> [Effect] {
        guard var active = queues[node]?.active else { return [] }
        var effects: [Effect] = []
        while active.requested < active.photo.file.byteCount,
            active.requested - active.written < limits.credit * limits.chunkSize
        {
            let length = min(limits.chunkSize, active.photo.file.byteCount - active.requested)
            effects.append(
                .request(
                    ChunkRequest(
                        uniqueID: active.photo.key.uniqueID, photoCount: active.photo.key.photoCount,
                        offset: active.requested, length: length), node: node))
            active.requested += length
        }
        queues[node]?.active = active
        return effects
    }
}
