package import CaptureModel
package import RigClock
package import RigProtocol

/// The grid of rig time that a node's frames are to begin on; pure.
///
/// For a capture in which the node fires later than the others, its frames begin later as well, until that is over.
package struct GridKeeper: Sendable {
    private var grid: FrameGrid?
    /// How far behind the grid the frames are to begin, in nanoseconds, and the capture for which they are.
    private var shift: (by: Int64, for: UniqueID)?

    package init() {}

    /// Whether the frames are to begin beside the grid.
    package var isShifted: Bool { shift.map { $0.by != 0 } ?? false }

    /// Takes the grid that the coordinator wants.
    ///
    /// - Returns: false for one that no camera can keep, which is ignored.
    package mutating func follow(_ grid: FrameGrid) -> Bool {
        guard (1...Int64.seconds(3600)).contains(grid.period) else { return false }
        self.grid = grid
        return true
    }

    /// One of the instants and the period in nanoseconds, on this board's clock; nil while that cannot be told.
    package func local(_ estimate: ClockEstimate, now: MonotonicTime) -> (origin: MonotonicTime, period: Double)? {
        guard let grid, estimate.isKnown else { return nil }
        let next = grid.next(from: estimate.rigTime(at: now)) + (shift?.by ?? 0)
        return (estimate.monotonicTime(at: next), Double(grid.period) / (1 + estimate.rate))
    }

    /// Shifts the grid for a capture.
    ///
    /// - Returns: whether the frames have to move.
    package mutating func shift(by nanoseconds: Int64, for id: UniqueID) -> Bool {
        defer { shift = (nanoseconds, id) }
        return shift?.by ?? 0 != nanoseconds
    }

    /// Takes back the shift of a capture that is over, unless another one has taken its place.
    ///
    /// - Returns: whether there was one.
    package mutating func unshift(after id: UniqueID) -> Bool {
        guard shift?.for == id else { return false }
        shift = nil
        return true
    }
}
