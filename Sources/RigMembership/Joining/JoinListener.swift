package import Posix
import RigProtocol

/// A coordinator's ear for boards that ask to join, for as long as the program runs: one datagram each way.
///
/// It has no connections, so that strangers cost nothing but the answer, which is hardly longer than their question.
package enum JoinListener {
    /// The longest datagram, in bytes: it fits into one packet.
    static let limit = 1400

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - host: the address to listen on; `*` for all.
    ///   - port: in UDP; that of the control plane, which is in TCP.
    package static func start(host: String, port: Int, membership: Membership) throws(SystemError) {
        let socket = try DatagramSocket(host: host, port: port)
        _ = OSThread(name: "join") {
            while true {
                guard let (bytes, peer) = socket.receive(upTo: limit),
                    let join = try? bytes.withUnsafeBytes({ try Codec.decode(Join.self, from: $0) }),
                    let reply = membership.answer(join, from: peer.host)
                else { continue }
                socket.send(Codec.encode(reply, sequence: 1), to: peer)
            }
        }
    }
}
