package import CaptureModel

/// The probes that are under way: an answer counts once, and only to a question; pure.
///
/// One that is replayed or made up changes nothing. Probes go in pairs, the second as soon as the first is answered: an
/// idle machine takes tens of microseconds longer to take a message than one that has just sent one, which makes the
/// two ways of a lone probe unequal without a sign of it. The second of a pair finds both ends awake.
package struct OutstandingProbes: Sendable {
    /// Which of a pair.
    package enum Turn: Sendable, Hashable {
        case first
        case second
    }

    /// More than one where the way takes longer than the pause between them; older ones are given up.
    private static let limit = 32

    private var sent: [(time: MonotonicTime, turn: Turn)] = []

    package init() {}

    /// A probe goes out.
    package mutating func expect(_ time: MonotonicTime, _ turn: Turn) {
        sent = sent.suffix(Self.limit - 1) + [(time, turn)]
    }

    /// An answer has come.
    ///
    /// - Returns: which of its pair the probe was that it answers; nil for an answer that nobody waits for.
    package mutating func take(_ time: MonotonicTime) -> Turn? {
        guard let index = sent.firstIndex(where: { $0.time == time }) else { return nil }
        return sent.remove(at: index).turn
    }
}
