package import RigClock

/// The address of a connection at the coordinator: a ROUTER's routing id.
package struct Peer: Hashable, Sendable {
    package let routingID: [UInt8]

    package init(routingID: [UInt8]) {
        self.routingID = routingID
    }
}

/// Who asks the coordinator, and which of his requests it is.
package struct Caller: Hashable, Sendable {
    package let peer: Peer
    /// The name behind the key of the connection.
    package let user: String
    /// The `sequence` of the request, which the answer repeats.
    package let request: Int

    package init(peer: Peer, user: String, request: Int) {
        self.peer = peer
        self.user = user
        self.request = request
    }
}

/// Something that came to the coordinator; `user` is the name behind the key of the connection.
package struct Arrival<Message: Sendable>: Sendable {
    package let peer: Peer
    package let user: String
    /// Of the message; 0 where it cannot be read.
    package let sequence: Int
    /// The message, or what is wrong with it.
    package let message: Result<Message, WireError>

    package init(peer: Peer, user: String, sequence: Int = 0, message: Result<Message, WireError>) {
        self.peer = peer
        self.user = user
        self.sequence = sequence
        self.message = message
    }

    /// Whom to answer.
    package var caller: Caller { Caller(peer: peer, user: user, request: sequence) }
}

/// What comes on the bulk plane.
package enum BulkMessage: Sendable {
    case hello(BulkHello)
    case chunk(Chunk, bytes: [UInt8])
}

/// The coordinator's side of the wire, whatever carries it. Each `next...` is called by one task.
package protocol CoordinatorLink: Sendable {
    var clockPort: Int { get }
    var bulkPort: Int { get }
    var eventsPort: Int { get }
    func send(_ message: CoordinatorMessage, to peer: Peer)
    func request(_ chunk: ChunkRequest, from peer: Peer)
    func reply(_ message: any WireMessage, to caller: Caller)
    func publish(_ notice: any WireMessage)
    /// Nil once the link is closed, as with the others.
    func nextFromNode() async -> Arrival<NodeMessage>?
    func nextBulk() async -> Arrival<BulkMessage>?
    func nextFromOperator() async -> Arrival<OperatorRequest>?
    func close()
}

/// What a node hears of its coordinator.
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
    func send(_ message: NodeMessage)
    func next() async -> NodeArrival?
    /// Connects anew, after a refusal: libzmq gives up for good on a peer that refused it.
    func reconnect() throws
    /// Connects the planes that a welcome named; again after the coordinator restarted.
    func openPlanes(clockPort: Int, bulkPort: Int, instance: String) throws
    func nextChunkRequest() async -> ChunkRequest?
    func send(_ chunk: Chunk, bytes: [UInt8])
    /// Asks for the time, and again as soon as that is answered; the answers come by ``nextProbe()``.
    func sendProbe()
    func nextProbe() async -> ClockProbe?
    func close()
}
