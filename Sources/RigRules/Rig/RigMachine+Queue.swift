import CaptureModel
import RigProtocol

/// Captures that wait for nodes which others have.
extension RigMachine {
    /// The answer to whoever asked for a capture that was accepted.
    func reply(_ id: UniqueID) -> FireReply {
        guard let record = captures[id] else { return FireReply(uniqueID: id) }
        var reply = FireReply(
            uniqueID: id, waitsFor: record.phase == .queued ? obstacle(to: record, busyNodes()) : nil)
        reply.remarks = remarks(on: record)
        return reply
    }

    /// The nodes that a capture is still to take.
    private func wanted(_ record: CaptureRecord) -> [NodeName] {
        record.parts.filter { $0.value.phase == .preparing }.map(\.key)
    }

    /// The nodes that captures in the queue are to take.
    var reservedNodes: [NodeName: UniqueID] {
        var reserved: [NodeName: UniqueID] = [:]
        for id in queue {
            guard let record = captures[id], record.phase == .queued else { continue }
            for name in wanted(record) where reserved[name] == nil { reserved[name] = id }
        }
        return reserved
    }

    /// The capture that a capture has to wait for: one that occupies a node of it, or is before it in the queue and
    /// wants one; nil where there is none.
    func obstacle(to record: CaptureRecord, _ busy: [NodeName: UniqueID]) -> UniqueID? {
        obstacle(to: Set(wanted(record)), busy, besides: record.uniqueID)
    }

    /// The same for nodes that a capture would take, which is not there yet.
    ///
    /// - Parameter capture: the one that takes them, where it is.
    func obstacle(to wanted: Set<NodeName>, _ busy: [NodeName: UniqueID], besides capture: UniqueID? = nil) -> UniqueID?
    {
        if let occupant = wanted.compactMap({ busy[$0] }).filter({ $0 != capture }).min() { return occupant }
        return queue.prefix { $0 != capture }.first { id in
            guard let other = captures[id], other.phase == .queued else { return false }
            return wanted.contains { other.parts[$0]?.phase == .preparing }
        }
    }

    /// Whether one of its nodes fell silent only just, and may be back at once.
    private func isMissed(_ record: CaptureRecord) -> Bool {
        wanted(record).contains { name in
            guard let node = nodes[name], !node.isConnected, let heard = node.lastHeard else { return false }
            return now - heard < Self.returnLimit
        }
    }

    /// An appointment is near.
    mutating func beginOrQueue(_ id: UniqueID) -> [RigEffect] {
        guard let record = captures[id], record.isPatient, let other = obstacle(to: record, busyNodes(besides: id))
        else {
            return begin(id)
        }
        captures[id]?.phase = .queued
        queue.append(id)
        return note(waiting: id, for: other)
    }

    /// Writes down for which capture another one waits, where that is news.
    mutating func note(waiting id: UniqueID, for other: UniqueID) -> [RigEffect] {
        guard captures[id]?.waitsFor != other else { return [] }
        captures[id]?.waitsFor = other
        return note("It waits for capture \(other), which comes first.", of: id)
    }

    /// Begins what no longer waits for anything, the longest waiting first.
    mutating func beginQueued() -> [RigEffect] {
        queue.removeAll { captures[$0]?.phase != .queued }
        guard !queue.isEmpty else { return [] }
        let waiting = queue
        var busy = busyNodes()
        return waiting.flatMap { id -> [RigEffect] in
            guard let record = captures[id], accepting[id] == nil else { return [] }
            if let other = obstacle(to: record, busy) { return note(waiting: id, for: other) }
            guard !isMissed(record) else { return [] }
            defer { busy = busyNodes() }
            return begin(id)
        }
    }
}
