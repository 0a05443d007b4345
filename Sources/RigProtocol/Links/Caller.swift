package import CaptureModel

/// Who is asking the coordinator, and with which request.
package struct Caller: Hashable, Sendable {
    /// The connection that the answer goes to.
    package let peer: Peer
    /// The name that the connection's key belongs to.
    package let user: NodeName
    /// The `sequence` of the request, which the answer repeats.
    package let request: Int
    /// The connection's public key, in Z85; nil where nothing is encrypted.
    package let key: String?

    package init(peer: Peer, user: NodeName, request: Int, key: String? = nil) {
        self.key = key
        self.peer = peer
        self.user = user
        self.request = request
    }
}
