package import CaptureModel
package import PhotoStore
package import RigProtocol

/// Which piece of which photo is asked for next; pure.
///
/// ```
/// waiting --a slot is free--> active --last piece--> finishing --durable--> done
///    ^                          |  |                     |  other bytes than the node hashed
///    |      the node is gone:   |  +<--------------------+  begun anew, some times
///    +<--- goes on where it was-+
/// ```
///
/// A request is the credit for its answer: of each active node at most `credit` pieces are on their way or in memory,
/// and only so many nodes are active at a time, in turns, photo by photo. So a slow node holds up nobody, and memory
/// does not grow with the rig.
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
        /// Pieces of a node.
        package var credit = 4
        /// Nodes at a time.
        package var slots = 16

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
        var tries = 1
        var isFinishing = false
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
    }

    private let limits: Limits
    private var queues: [String: Queue] = [:]
    /// Whose turn it is to become active, the next one first.
    private var line: [String] = []
    /// What is in the library of photos that nobody pulls now, in bytes.
    private var partials: [Library.Key: Int]

    /// - Parameter partials: what a former run left half-way, in bytes.
    package init(partials: [Library.Key: Int] = [:], limits: Limits = Limits()) {
        self.partials = partials
        self.limits = limits
    }

    /// The node's bulk plane is there, perhaps again.
    package mutating func open(_ node: String, now: RigTime) -> [Effect] {
        queues[node, default: Queue()].isOpen = true
        guard var active = queues[node]?.active, !active.isFinishing else { return stand(node, now) }
        // What was asked for on the old connection does not come.
        (active.requested, active.lastProgress) = (active.received, now)
        queues[node]?.active = active
        return request(node)
    }

    /// The node is gone; what it had begun goes on when its events come again.
    package mutating func close(_ node: String, now: RigTime) -> [Effect] {
        guard let queue = queues.removeValue(forKey: node) else { return [] }
        line.removeAll { $0 == node }
        if let active = queue.active, !active.isFinishing { partials[active.photo.key] = active.received }
        return advance(now)
    }

    /// A photo is to be fetched; one that is already on its way is not begun twice.
    package mutating func enqueue(_ photo: PhotoPull, now: RigTime) -> [Effect] {
        var queue = queues[photo.key.node] ?? Queue()
        guard queue.active?.photo.key != photo.key, !queue.waiting.contains(where: { $0.key == photo.key }) else {
            return []
        }
        queue.waiting.append(photo)
        queues[photo.key.node] = queue
        return stand(photo.key.node, now)
    }

    /// A piece came, or word that there is none.
    package mutating func chunk(_ chunk: Chunk, byteCount: Int, from node: String, now: RigTime) -> [Effect] {
        guard var active = queues[node]?.active, !active.isFinishing, active.photo.key.uniqueID == chunk.uniqueID,
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
        active.isFinishing = active.received == active.photo.file.byteCount
        queues[node]?.active = active
        return [.append(active.photo.key, offset: offset)] + (active.isFinishing ? [.finish(active.photo)] : [])
    }

    /// A piece is on disk, which gives its credit back: a slow disk holds up the node, not memory.
    package mutating func written(_ key: Library.Key, byteCount: Int) -> [Effect] {
        guard let active = queues[key.node]?.active, active.photo.key == key, !active.isFinishing else { return [] }
        // Pieces of an earlier try count for nothing.
        queues[key.node]?.active?.written = min(active.received, active.written + byteCount)
        return request(key.node)
    }

    /// The photo is durable, or it could not be written, or the bytes were not those that the node hashed.
    package mutating func finished(_ key: Library.Key, error: CaptureError?, now: RigTime) -> [Effect] {
        guard let active = queues[key.node]?.active, active.photo.key == key else {
            partials[key] = nil
            return []
        }
        guard let error else {
            queues[key.node]?.active = nil
            return stand(key.node, now)
        }
        guard active.tries < Self.tries else {
            queues[key.node]?.active = nil
            return [.fail(key, error)] + stand(key.node, now)
        }
        var fresh = Pull(active.photo, from: 0, now: now)
        fresh.tries = active.tries + 1
        queues[key.node]?.active = fresh
        return [.discard(key)] + request(key.node)
    }

    /// Asks again for what did not come.
    package mutating func tick(now: RigTime) -> [Effect] {
        queues.keys.sorted().flatMap { node -> [Effect] in
            guard let active = queues[node]?.active, !active.isFinishing, queues[node]?.isOpen == true,
                now - active.lastProgress > Self.patience
            else { return [] }
            queues[node]?.active?.requested = active.received
            queues[node]?.active?.lastProgress = now
            return request(node)
        }
    }

    /// Puts a node that has photos into the line.
    private mutating func stand(_ node: String, _ now: RigTime) -> [Effect] {
        if let queue = queues[node], queue.isOpen, queue.active == nil, !queue.waiting.isEmpty, !line.contains(node) {
            line.append(node)
        }
        return advance(now)
    }

    private mutating func advance(_ now: RigTime) -> [Effect] {
        var effects: [Effect] = []
        while !line.isEmpty, queues.values.count(where: { $0.active != nil }) < limits.slots {
            let node = line.removeFirst()
            guard let photo = queues[node]?.waiting.removeFirst() else { continue }
            var pull = Pull(
                photo, from: min(partials.removeValue(forKey: photo.key) ?? 0, photo.file.byteCount), now: now)
            pull.isFinishing = pull.received == photo.file.byteCount
            queues[node]?.active = pull
            effects += pull.isFinishing ? [.finish(photo)] : request(node)
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
