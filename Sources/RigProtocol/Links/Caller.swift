package import CaptureModel

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
