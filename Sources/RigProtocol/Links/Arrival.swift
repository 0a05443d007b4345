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
