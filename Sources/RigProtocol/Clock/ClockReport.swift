import CaptureModel
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
