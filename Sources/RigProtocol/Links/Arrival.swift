package import CaptureModel
import RigClock

/// Something that reached the coordinator.
package struct Arrival<Message: Sendable>: Sendable {
    /// The connection that it came on.
    package let peer: Peer
    /// The name that the connection's key belongs to.
    package let user: NodeName
    /// The message's own number; 0 where it cannot be read.
    package let sequence: Int
    /// The connection's public key, in Z85, where the sender is to be answered.
    package let key: String?
    /// The message, or what is wrong with it.
    package let message: Result<Message, WireError>

    package init(peer: Peer, user: NodeName, sequence: Int = 0, key: String? = nil, message: Result<Message, WireError>)
    {
        self.key = key
        self.peer = peer
        self.user = user
        self.sequence = sequence
        self.message = message
    }

    /// Whom to answer.
    package var caller: Caller { Caller(peer: peer, user: user, request: sequence, key: key) }
}
