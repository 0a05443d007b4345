package import CaptureModel

/// The probes that are under way: an answer counts once, and only to a question; pure.
///
/// One that is replayed or made up changes nothing.
package struct OutstandingProbes: Sendable {
    /// More than one where the way takes longer than the pause between them; older ones are given up.
    private static let limit = 32

    private var sent: [MonotonicTime] = []

    package init() {}

    /// A probe goes out.
    package mutating func expect(_ time: MonotonicTime) {
        sent = sent.suffix(Self.limit - 1) + [time]
    }

    /// An answer has come.
    ///
    /// - Returns: whether it is one to a probe that is under way.
    package mutating func take(_ time: MonotonicTime) -> Bool {
        guard let index = sent.firstIndex(of: time) else { return false }
        sent.remove(at: index)
        return true
    }
}
