package import CaptureModel

/// Rig time from the clocks of both boards, where something else keeps those in step; pure.
///
/// Each side says how far its CLOCK_REALTIME can be from UTC; the bound is the sum. A probe that contradicts it by more
/// than the probe's own way can explain shows that one of them is wrong.
package struct SystemClock: ClockEstimator {
    /// The time without an answer after which the clock runs free: the coordinator's may have been stepped.
    private static let freeRunAfter = Int64.seconds(5)
    /// How far a disciplined clock may drift for each second without an answer, in seconds.
    private static let drift = 1e-6

    private var hull = HullFilter()
    private var offset: (value: Int64, bound: Int64, at: MonotonicTime)?
    private var restarts = 0

    package init() {}

    /// The same as the hull filter's, whose probes it also keeps.
    package var interval: Int64 { hull.interval }
    /// The hull filter's, but for restarts: those count the probes that contradicted the clocks. Its offset, by which it
    /// tells an answer's way, is not the one in use.
    package var statistics: ProbeStatistics {
        var statistics = hull.statistics
        statistics.restarts = restarts
        statistics.longestAnswer = nil
        return statistics
    }

    /// Forgets the offset, and the probes with it.
    package mutating func reset() {
        hull.reset()
        offset = nil
    }

    /// Takes an answered probe; one without a disciplined clock on both sides leaves the offset unknown.
    @discardableResult
    package mutating func add(_ probe: ClockProbe) -> ProbeVerdict {
        let verdict = hull.add(probe)
        guard verdict != .implausible else { return verdict }
        guard let own = probe.ownClock, let theirs = probe.coordinatorClock, let error = own.error,
            let theirError = theirs.error, own.isPlausible, theirs.isPlausible
        else {
            offset = nil
            return verdict
        }
        // Both give the same UTC: rig + theirs = node + own.
        let (value, bound) = (own.offset - theirs.offset, error + theirError)
        guard abs(value - probe.offsetNanoseconds) <= bound + probe.roundTripNanoseconds / 2 + 1 else {
            offset = nil
            restarts += 1
            return .startedOver
        }
        offset = (value, bound, probe.returned)
        return verdict
    }

    /// Returns what is known now: unavailable after a contradiction, free-running 5 s after the last answer.
    package func estimate(at now: MonotonicTime) -> ClockEstimate {
        guard let offset else { return .unavailable }
        let age = now - offset.at
        return ClockEstimate(
            status: age > Self.freeRunAfter ? .freeRun : .active, offsetNanoseconds: offset.value,
            boundNanoseconds: offset.bound + Int64(Double(max(0, age)) * Self.drift) + 1,
            rateBound: Self.drift, asOf: now)
    }
}
