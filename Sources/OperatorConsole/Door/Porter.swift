import Posix
import Synchronization

/// Keeps the door, for all connections at once.
final class Porter: Sendable {
    private let door = Mutex(Door())

    /// A new link's secret.
    func invite() -> String {
        let token = Self.secret()
        door.withLock { $0.invite(token, now: Clocks.monotonicNanoseconds()) }
        return token
    }

    /// Uses up a link.
    ///
    /// - Returns: the secret of the session that it began; nil where it is none any more.
    func enter(_ token: String) -> String? {
        let session = Self.secret()
        return door.withLock { $0.enter(token, as: session, now: Clocks.monotonicNanoseconds()) } ? session : nil
    }

    func admits(_ session: String) -> Bool {
        door.withLock { $0.admits(session, now: Clocks.monotonicNanoseconds()) }
    }

    func leave(_ session: String) { door.withLock { $0.leave(session) } }

    /// 256 bits from the kernel, in hexadecimal digits.
    private static func secret() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let word = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - word.count) + word
        }.joined()
    }
}
