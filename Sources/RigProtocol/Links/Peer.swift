/// The address of a connection at the coordinator: a ROUTER's routing id.
package struct Peer: Hashable, Sendable {
    /// Made up by ZeroMQ for each connection: a node that reconnects has another one.
    package let routingID: [UInt8]

    package init(routingID: [UInt8]) {
        self.routingID = routingID
    }
}
