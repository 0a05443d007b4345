package import CaptureModel

/// A grid of instants that frames begin on: whole multiples of the period from the zero of rig time.
package struct FrameGrid: Codable, Sendable, Hashable {
    /// In nanoseconds.
    package var period: Int64

    package init(period: Int64) {
        self.period = period
    }

    /// The first instant on the grid that is not before this one.
    package func next(from time: RigTime) -> RigTime {
        let beyond = time.nanoseconds % period
        return beyond == 0 ? time : time + (period - beyond)
    }
}
