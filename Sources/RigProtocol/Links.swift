package import CaptureModel
package import RigClock

/// The address of a connection at the coordinator: a ROUTER's routing id.
package struct Peer: Hashable, Sendable {
    /// Made up by ZeroMQ for each connection: a node that reconnects has another one.
    package let routingID: [UInt8]

    package init(routingID: [UInt8]) {
        self.routingID = routingID
    }
}

/// Who is asking the coordinator, and with which request.
package struct Caller: Hashable, Sendable {
    /// The connection that the answer goes to.
    package let peer: Peer
    /// The name that the connection's key belongs to.
    package let user: NodeName
    /// The `sequence` of the request, which the answer repeats.
    package let request: Int

    package init(peer: Peer, user: NodeName, request: Int) {
        self.peer = peer
        self.user = user
        self.request = request
    }
}

/// Something that reached the coordinator.
package struct Arrival<Message: Sendable>: Sendable {
    /// The connection that it came on.
    package let peer: Peer
    /// The name that the connection's key belongs to.
    package let user: NodeName
    /// The message's own number; 0 where it cannot be read.
    package let sequence: Int
    /// The message, or what is wrong with it.
    package let message: Result<Message, WireError>

    package init(peer: Peer, user: NodeName, sequence: Int = 0, message: Result<Message, WireError>) {
        self.peer = peer
        self.user = user
        self.sequence = sequence
        self.message = message
    }

    /// Whom to answer.
    package var caller: Caller { Caller(peer: peer, user: user, request: sequence) }
}

/// What arrives on the bulk plane.
package enum BulkMessage: Sendable {
    case hello(BulkHello)
    case chunk(Chunk, bytes: [UInt8])
}

/// The coordinator's side of the wire, whatever carries it. Each `next...` is called by one task.
package protocol CoordinatorLink: Sendable {
    /// The port of the clock plane, for nodes to be told.
    var clockPort: Int { get }
    /// The port of the bulk plane, for nodes to be told.
    var bulkPort: Int { get }
    /// The port of the events plane, for operators to be told.
    var eventsPort: Int { get }
    /// Sends a message on the control plane; one to a connection that is gone is lost.
    func send(_ message: CoordinatorMessage, to peer: Peer)
    /// Asks for a piece of a photo on the bulk plane.
    func request(_ chunk: ChunkRequest, from peer: Peer)
    /// Answers a request of an operator.
    func reply(_ message: any WireMessage, to caller: Caller)
    /// Sends a notice to all watchers that can take it now.
    func publish(_ notice: any WireMessage)
    /// Returns the next message on the control plane; nil once the link is closed, as do the others.
    func nextFromNode() async -> Arrival<NodeMessage>?
    /// Returns the next message on the bulk plane.
    func nextBulk() async -> Arrival<BulkMessage>?
    /// Returns the next request of an operator.
    func nextFromOperator() async -> Arrival<OperatorRequest>?
    /// Closes all planes.
    func close()
}

/// What a node hears from its coordinator.
package enum NodeArrival: Sendable {
    case message(CoordinatorMessage)
    /// A message that cannot be read.
    case malformed(WireError)
    case connected
    case disconnected
    /// The coordinator refused this node's key, or is not the one whose key was given.
    case keyRefused
}

/// A node's side of the wire.
package protocol NodeLink: Sendable {
    /// Sends a message on the control plane; one that is sent while disconnected is lost.
    func send(_ message: NodeMessage)
    /// Returns what comes next on the control plane; nil once the link is closed, as do the others.
    func next() async -> NodeArrival?
    /// Connects again after a refusal: libzmq gives up for good on a peer that refused it.
    func reconnect() throws
    /// Connects the planes that a welcome named; called again after the coordinator restarted.
    func openPlanes(clockPort: Int, bulkPort: Int, instance: String) throws
    /// Returns the next request for a piece of a photo.
    func nextChunkRequest() async -> ChunkRequest?
    /// Sends a piece of a photo on the bulk plane.
    func send(_ chunk: Chunk, bytes: [UInt8])
    /// Asks for the time, and again as soon as that is answered; ``nextProbe()`` returns the answers.
    func sendProbe()
    /// Returns the next answered probe.
    func nextProbe() async -> ClockProbe?
    /// Closes all planes.
    func close()
}
