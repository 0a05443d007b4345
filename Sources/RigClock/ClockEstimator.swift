package import CaptureModel

/// A way to estimate rig time from probes; pure: probes and the time come in as values.
package protocol ClockEstimator: Sendable {
    /// Takes an answered probe. One that contradicts all that came before starts the estimate over: a clock stepped.
    ///
    /// - Returns: what became of it.
    @discardableResult
    mutating func add(_ probe: ClockProbe) -> ProbeVerdict

    /// How long after the last pair of probes the next one is to go out, in nanoseconds.
    var interval: Int64 { get }

    /// Forgets everything: the board was suspended, and its clock stood still meanwhile.
    mutating func reset()

    /// What became of the probes in the window.
    var statistics: ProbeStatistics { get }

    /// What is known now.
    func estimate(at now: MonotonicTime) -> ClockEstimate
}

/// What an estimator made of a probe.
package enum ProbeVerdict: Sendable, Hashable {
    case accepted
    /// No honest exchange gives such times.
    case implausible
    /// A clock stepped; the estimate starts over with this probe.
    case startedOver
}
