package import CaptureModel
package import RigClock

/// What a node knows about rig time, and how its frames lie on the rig's grid.
package struct ClockReport: Codable, Sendable, Hashable {
    /// Offset, rate and bound at the moment of the report.
    package var estimate: ClockEstimate
    /// The probes that the estimate rests on.
    package var probes: ProbeStatistics
    /// How long after the grid's instants the newest frames begin, within half a frame either way, in nanoseconds; nil
    /// where there is no grid or no frame.
    package var phaseNanoseconds: Int64?

    package init(estimate: ClockEstimate, probes: ProbeStatistics = ProbeStatistics(), phaseNanoseconds: Int64? = nil) {
        self.estimate = estimate
        self.probes = probes
        self.phaseNanoseconds = phaseNanoseconds
    }
}

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
