package import CaptureModel

/// The probes that are under way: an answer counts once, and only if it was asked for; pure.
///
/// A replayed or forged answer changes nothing. Probes go in pairs, the second as soon as the first is answered: an
/// idle machine takes tens of microseconds longer to receive a message than one that has just sent one, which makes the
/// two ways of a lone probe unequal without a trace. The second of a pair finds both ends awake.
package struct OutstandingProbes: Sendable {
    /// Which probe of a pair.
    package enum Turn: Sendable, Hashable {
        case first
        case second
    }

    /// The most that are under way, which is more than one pair where the round trip takes longer than the pause
    /// between pairs; older ones are given up.
    private static let limit = 32

    private var sent: [(time: MonotonicTime, turn: Turn)] = []

    package init() {}

    /// Notes that a probe goes out.
    package mutating func expect(_ time: MonotonicTime, _ turn: Turn) {
        sent = sent.suffix(Self.limit - 1) + [(time, turn)]
    }

    /// Takes an answer.
    ///
    /// - Returns: which probe of its pair it answers; nil for an answer that nobody is waiting for.
    package mutating func take(_ time: MonotonicTime) -> Turn? {
        guard let index = sent.firstIndex(where: { $0.time == time }) else { return nil }
        return sent.remove(at: index).turn
    }
}
