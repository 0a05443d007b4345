import CaptureModel
import NodeAgent
import RigProtocol
import RigRules

/// The network between the nodes and the coordinator.
///
/// Connections keep order, as TCP does, unless messages are duplicated; a reset loses what is under way on both planes
/// of a node. On top of that, single messages are lost, which TCP would not do: what survives that survives more.
extension RigSimulation {
    /// How long a message takes; nil if it is lost.
    private func way(_ index: Int, toNode: Bool, _ plane: String, canBeLost: Bool = true) -> Int64? {
        if canBeLost, Double.random(in: 0..<1, using: &random) < scenario.loss { return nil }
        let blocked = toNode ? blockedUntil[index].toNode : blockedUntil[index].toCoordinator
        let key = "\(plane) \(index) \(toNode)"
        let arrival = max(
            now + Int64.random(in: 50_000...scenario.longestWay, using: &random), blocked, lastArrival[key] ?? 0)
        lastArrival[key] = arrival
        return arrival - now
    }

    private func copies() -> Int { Double.random(in: 0..<1, using: &random) < scenario.duplication ? 2 : 1 }

    func send(_ message: NodeMessage, from node: SimulatedNode) {
        for _ in 0..<copies() {
            guard let way = way(node.index, toNode: false, "control") else { continue }
            after(way, .toCoordinator(node.index, message, node.peer, connection: node.connections.control))
        }
    }

    func send(_ message: CoordinatorMessage, to peer: Peer) throws {
        guard let node = nodes.first(where: { $0.peer == peer }) else { return }
        if case .fire(let fire) = message {
            try oracle.ordered(fire, node.name)
            firedUnder[fire.uniqueID] = coordinator.booted
            firedIn[fire.uniqueID] = coordinator.life
        }
        for _ in 0..<copies() {
            guard let way = way(node.index, toNode: true, "control") else { continue }
            after(way, .toNode(node.index, message, connection: node.connections.control))
        }
    }

    func request(_ request: ChunkRequest, from peer: Peer) throws {
        guard let node = nodes.first(where: { $0.bulkPeer == peer }) else { return }
        try oracle.asksFor(request, of: node.name, on: node.connections.bulk, life: coordinator.life)
        for _ in 0..<copies() {
            guard let way = way(node.index, toNode: true, "bulk") else { continue }
            after(way, .chunkRequest(node.index, request, connection: node.connections.bulk))
        }
    }

    func send(_ chunk: Chunk, _ bytes: [UInt8], from node: SimulatedNode) {
        for _ in 0..<copies() {
            guard var way = way(node.index, toNode: false, "bulk") else { continue }
            if let wire = scenario.wire {
                // One after the other, whoever sends them.
                wireFreeAt = max(wireFreeAt, now) + Int64(bytes.count) * 1_000_000_000 / wire
                way = max(way, wireFreeAt - now)
                lastArrival["bulk \(node.index) false"] = now + way
            }
            after(way, .chunk(node.index, chunk, bytes, connection: node.connections.bulk))
        }
    }

    /// Sends the greeting that a socket sends on every connection it makes.
    func sayBulkHello(_ node: SimulatedNode) {
        guard let way = way(node.index, toNode: false, "bulk", canBeLost: false) else { return }
        after(way, .bulkHello(node.index, node.bulkPeer, connection: node.connections.bulk))
    }

    /// Holds up everything for a while, one way or both; it arrives afterwards.
    func partition(_ index: Int, _ seconds: Double) {
        let until = now + Int64(seconds * 1e9)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: blockedUntil[index].toNode = until
        case 1: blockedUntil[index].toCoordinator = until
        default: blockedUntil[index] = (until, until)
        }
    }

    /// Breaks both connections of a node, and makes them again.
    func reset(_ node: SimulatedNode) throws {
        guard node.isUp else { return }
        node.connections.control += 1
        node.connections.bulk += 1
        try take(.connectionLost, node)
        if node.isBulkOpen { sayBulkHello(node) }
    }
}
