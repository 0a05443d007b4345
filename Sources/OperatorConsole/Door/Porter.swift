import Posix
import Synchronization

/// Keeps the door, for all connections at once.
final class Porter: Sendable {
    private let door = Mutex(Door())
    /// Uses up a link that was made elsewhere.
    private let admitsOthers: @Sendable (String) -> Bool

    init(_ admitsOthers: @escaping @Sendable (String) -> Bool) { self.admitsOthers = admitsOthers }

    /// A new link's secret.
    func invite() -> String {
        let token = Secret.make()
        door.withLock { $0.invite(token, now: Clocks.monotonicNanoseconds()) }
        return token
    }

    /// Uses up a link.
    ///
    /// - Returns: the secret of the session that it began; nil where it is none any more.
    func enter(_ token: String) -> String? {
        let (session, now) = (Secret.make(), Clocks.monotonicNanoseconds())
        if door.withLock({ $0.enter(token, as: session, now: now) }) { return session }
        guard admitsOthers(token) else { return nil }
        door.withLock { $0.begin(session, now: now) }
        return session
    }

    func admits(_ session: String) -> Bool {
        door.withLock { $0.admits(session, now: Clocks.monotonicNanoseconds()) }
    }

    func leave(_ session: String) { door.withLock { $0.leave(session) } }
}
