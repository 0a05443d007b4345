package import CaptureModel

/// Brings the frames of a camera onto a grid by the moment at which its stream begins, where nothing else can; pure.
///
/// A driver begins some constant time after it is told to. The first aligned start shows how long that is, the second
/// one makes up for it:
///
/// ```
/// free --off by too much--> begun on the grid --its lag is seen--> begun earlier by it --> aligned
///   ^                                                                                          |
///   +-------------------------- a crystal's drift has passed the threshold --------------------+
/// ```
package struct StreamAligner: Sendable {
    /// Frames that begin within this share of a period count as aligned.
    private static let threshold = 1.0 / 16
    /// How long frames are watched after a start before they are believed, in nanoseconds.
    private static let settling = Int64.seconds(2)
    /// The number of starts after which a camera that will not align is left alone, and for how long.
    private static let patience = 4
    private static let rest = Int64.seconds(600)

    private var began: (at: MonotonicTime, phase: Double)?
    /// From the order to the grid that the frames then lie on, in nanoseconds; nil until it has been seen.
    private var lag: Double?
    private var attempts = 0

    package init() {}

    /// Decides on a restart by how the frames lie now.
    ///
    /// - Parameter error: how late they begin against the grid, in nanoseconds.
    /// - Returns: when to restart the stream; nil to leave it alone.
    package mutating func restart(error: Double, _ grid: LocalGrid, now: MonotonicTime) -> MonotonicTime? {
        if let began, now - began.at < Self.settling { return nil }
        if abs(error) <= Self.threshold * grid.period {
            attempts = 0
            return nil
        }
        guard attempts < Self.patience || began.map({ now - $0.at > Self.rest }) ?? true else { return nil }
        if attempts >= Self.patience { attempts = 0 }
        if let began { lag = grid.wrapped(error - began.phase) }
        attempts += 1
        // Buffers are allocated first, which takes a while.
        let earliest = now + .milliseconds(300)
        let wanted = -(lag ?? 0)
        let ahead = grid.wrapped(wanted - grid.phase(of: earliest))
        let time = earliest + Int64((ahead < 0 ? ahead + grid.period : ahead).rounded())
        began = (time, wanted)
        return time
    }
}
