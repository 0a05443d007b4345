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
    /// Asks for something on the bulk plane.
    func request(_ request: BulkRequest, from peer: Peer)
    /// Answers a request of an operator.
    ///
    /// - Parameter bytes: what follows the message; nil for nothing.
    func reply(_ message: any WireMessage, bytes: [UInt8]?, to caller: Caller)
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

extension CoordinatorLink {
    /// Answers a request of an operator with what nothing follows.
    package func reply(_ message: any WireMessage, to caller: Caller) { reply(message, bytes: nil, to: caller) }
}
