package import CaptureModel
import Glibc
package import Posix
import RigProtocol
package import ZeroMQ

/// A board's way into a rig: asks a coordinator until it is let in.
package struct Joiner: Sendable {
    /// The interval at which a board asks, in milliseconds.
    private static let interval: Int32 = 2000

    private let host: String
    private let port: Int
    private var machine: JoinMachine

    /// - Parameters:
    ///   - host: the coordinator's name or address.
    ///   - port: that of its control plane.
    ///   - name: what the board would like to be called.
    ///   - code: the board's join code; nil where a person is to admit it.
    package init(host: String, port: Int, key: CurvePublicKey, name: NodeName, code: JoinCode?) {
        (self.host, self.port) = (host, port)
        machine = JoinMachine(key: key, name: name, code: code)
    }

    /// Asks until the board is in; blocks.
    ///
    /// - Parameters:
    ///   - turns: how often to ask at most.
    ///   - onTurn: told how it stands, whenever the board asks.
    /// - Returns: the board's name from now on, the key of its coordinator and the words that it showed; nil where it was not
    ///   let in.
    package mutating func run(
        turns: Int = .max, onTurn: (String) -> Void
    ) throws(SystemError) -> (name: NodeName, coordinator: CurvePublicKey, words: String)? {
        let socket = try DatagramSocket()
        var words = "asking \(host):\(port) to join"
        for _ in 0..<turns {
            onTurn(words)
            do throws(SystemError) {
                let peer = try SocketAddress.resolve(host, port: port)
                words = "no coordinator answers at \(host), UDP port \(port)"
                let start = Clocks.monotonicNanoseconds()
                var isDue = true
                while let wait = Self.wait(since: start) {
                    if isDue { socket.send(Codec.encode(machine.message, sequence: 1), to: peer) }
                    isDue = false
                    guard let bytes = socket.receive(upTo: JoinListener.limit, within: wait)?.bytes,
                        let reply = try? bytes.withUnsafeBytes({ try Codec.decode(JoinReply.self, from: $0) })
                    else { continue }
                    switch machine.take(reply) {
                    case .none: words = "the coordinator at \(host) answers"
                    case .ask: isDue = true
                    case .waits(let shown):
                        words = "waits to be admitted at the coordinator, where it must show these words, too: \(shown)"
                    case .refused(let reason): words = "the coordinator at \(host) refuses to let it join: \(reason)"
                    case .admitted(let name, let key, let shown): return (name, key, shown)
                    }
                }
            } catch {
                words = "the coordinator's name \(host) is not known here"
                // Nothing tells when a name is known; this thread does nothing else.
                usleep(UInt32(Self.interval) * 1000)
            }
        }
        onTurn(words)
        return nil
    }

    /// What is left of a turn, in milliseconds; nil once it is over.
    private static func wait(since start: Int64) -> Int32? {
        let left = interval - Int32((Clocks.monotonicNanoseconds() - start) / 1_000_000)
        return left > 0 ? left : nil
    }
}
