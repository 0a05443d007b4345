package import CaptureModel
package import PhotoStore
package import RigProtocol

/// Which piece of which photo is asked for next; pure.
///
/// Each node has its own queue and its own credit, so that a slow one holds up nobody. A request is the credit for
/// its answer: at most `credit` chunks of a node are on their way or in memory.
package struct TransferMachine: Sendable {
    /// What the owner does, in order.
    package enum Effect: Sendable, Hashable {
        case request(ChunkRequest, node: String)
        /// Write the chunk that just came.
        case append(Library.Key)
        case finish(PhotoPull)
        case discard(Library.Key)
        case fail(Library.Key, CaptureError)
    }

    /// In bytes.
    package static let chunkSize = 256 << 10
    package static let credit = 4
    /// A chunk that has not come by then is asked for again, in nanoseconds.
    package static let patience = Int64.seconds(3)
    /// How often a photo is begun before it counts as lost.
    package static let tries = 3

    private struct Pull {
        let photo: PhotoPull
        var requested = 0
        var received = 0
        var written = 0
        var tries = 1
        var isFinishing = false
        var lastProgress: RigTime
    }

    private struct Queue {
        var isOpen = false
        var waiting: [PhotoPull] = []
        var active: Pull?
    }

    private var queues: [String: Queue] = [:]

    package init() {}

    /// The node's bulk plane is there, perhaps again.
    package mutating func open(_ node: String, now: RigTime) -> [Effect] {
        queues[node, default: Queue()].isOpen = true
        guard let active = queues[node]?.active, !active.isFinishing else { return advance(node, now) }
        return restart(node, active, now)
    }

    /// The node is gone; what was on its way is thrown away, and begun anew when its events come again.
    package mutating func close(_ node: String) -> [Effect] {
        guard let queue = queues.removeValue(forKey: node), let active = queue.active, !active.isFinishing else {
            return []
        }
        return [.discard(active.photo.key)]
    }

    /// A photo is to be fetched; one that is already on its way is not begun twice.
    package mutating func enqueue(_ photo: PhotoPull, now: RigTime) -> [Effect] {
        var queue = queues[photo.key.node] ?? Queue()
        guard queue.active?.photo.key != photo.key, !queue.waiting.contains(photo) else { return [] }
        queue.waiting.append(photo)
        queues[photo.key.node] = queue
        return advance(photo.key.node, now)
    }

    /// A piece came, or word that there is none.
    package mutating func chunk(_ chunk: Chunk, byteCount: Int, from node: String, now: RigTime) -> [Effect] {
        guard var active = queues[node]?.active, !active.isFinishing, active.photo.key.uniqueID == chunk.uniqueID,
            active.photo.key.photoCount == chunk.photoCount
        else { return [] }
        if let error = chunk.error {
            queues[node]?.active = nil
            return [.discard(active.photo.key), .fail(active.photo.key, error)] + advance(node, now)
        }
        // Only the next piece counts; another one is the echo of a request that was repeated.
        let expected = min(Self.chunkSize, active.photo.file.byteCount - active.received)
        guard chunk.offset == active.received, byteCount == expected else { return [] }
        active.received += byteCount
        active.lastProgress = now
        active.isFinishing = active.received == active.photo.file.byteCount
        queues[node]?.active = active
        return [.append(active.photo.key)] + (active.isFinishing ? [.finish(active.photo)] : [])
    }

    /// A piece is on disk, which gives its credit back: a slow disk holds up the node, not memory.
    package mutating func written(_ key: Library.Key, byteCount: Int) -> [Effect] {
        guard let active = queues[key.node]?.active, active.photo.key == key, !active.isFinishing else { return [] }
        queues[key.node]?.active?.written += byteCount
        return request(key.node)
    }

    /// The photo is durable, or the bytes were not those that the node hashed.
    package mutating func finished(_ key: Library.Key, error: CaptureError?, now: RigTime) -> [Effect] {
        guard let active = queues[key.node]?.active, active.photo.key == key else { return [] }
        if let error {
            if active.tries < Self.tries { return restart(key.node, active, now) }
            queues[key.node]?.active = nil
            return [.fail(key, error)] + advance(key.node, now)
        }
        queues[key.node]?.active = nil
        return advance(key.node, now)
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

    private mutating func restart(_ node: String, _ pull: Pull, _ now: RigTime) -> [Effect] {
        var fresh = Pull(photo: pull.photo, lastProgress: now)
        fresh.tries = pull.tries + 1
        queues[node]?.active = fresh
        return [.discard(pull.photo.key)] + request(node)
    }

    private mutating func advance(_ node: String, _ now: RigTime) -> [Effect] {
        guard var queue = queues[node], queue.isOpen, queue.active == nil, !queue.waiting.isEmpty else { return [] }
        queue.active = Pull(photo: queue.waiting.removeFirst(), lastProgress: now)
        queues[node] = queue
        return request(node)
    }

    /// Spends what is left of the credit.
    private mutating func request(_ node: String) -> [Effect] {
        guard var active = queues[node]?.active else { return [] }
        var effects: [Effect] = []
        while active.requested < active.photo.file.byteCount,
            active.requested - active.written < Self.credit * Self.chunkSize
        {
            let length = min(Self.chunkSize, active.photo.file.byteCount - active.requested)
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
