package import CaptureModel

/// Estimates rig time from the probe with the shortest way, with a bound that holds whatever the paths did.
///
/// Half a round trip bounds the error of one probe, however unequal its two ways were (RFC 5905, section 10: the
/// offset's error is at most delay / 2). With age the bound grows by the most that two crystals drift apart. Pure:
/// probes and the time come in as values.
package struct MinimumRoundTripFilter: Sendable {
    /// The most that two boards' clocks are taken to drift apart: 100 parts per million, twice a bad crystal.
    package static let maximumDriftPartsPerMillion: Int64 = 100
    /// Answers needed before the estimate counts as ``ClockStatus/active``.
    package static let calibrationCount = 8
    /// Probes older than this no longer compete.
    package static let windowNanoseconds = Int64.seconds(30)
    /// Without an answer for so long, the clock runs free.
    package static let freeRunAfterNanoseconds = Int64.seconds(5)

    private var probes: [ClockProbe] = []
    private var answered = 0
    private var lastAnswer: MonotonicTime?

    package init() {}

    /// Takes an answered probe. One that contradicts all that came before starts the estimate over: a clock stepped.
    ///
    /// - Returns: false for a probe that cannot be true, which is left out.
    @discardableResult
    package mutating func add(_ probe: ClockProbe) -> Bool {
        guard probe.isPlausible else { return false }
        if let best = best(at: probe.returned), contradicts(probe, best) {
            probes.removeAll()
            answered = 0
        }
        probes.removeAll { probe.returned - $0.returned > Self.windowNanoseconds }
        // A later probe with a smaller bound rules out every earlier one for good: the list stays short.
        probes.removeAll { Self.bound(of: $0, at: probe.returned) >= Self.bound(of: probe, at: probe.returned) }
        probes.append(probe)
        answered += 1
        lastAnswer = probe.returned
        return true
    }

    /// What is known now.
    package func estimate(at now: MonotonicTime) -> ClockEstimate {
        guard let best = best(at: now), let lastAnswer else {
            return ClockEstimate(status: .unavailable, offsetNanoseconds: 0, boundNanoseconds: .max)
        }
        let status: ClockStatus =
            if now - lastAnswer > Self.freeRunAfterNanoseconds {
                .freeRun
            } else if answered < Self.calibrationCount {
                .calibrating
            } else {
                .active
            }
        return ClockEstimate(
            status: status, offsetNanoseconds: best.offsetNanoseconds, boundNanoseconds: Self.bound(of: best, at: now))
    }

    private func best(at now: MonotonicTime) -> ClockProbe? {
        probes.min { Self.bound(of: $0, at: now) < Self.bound(of: $1, at: now) }
    }

    private static func bound(of probe: ClockProbe, at now: MonotonicTime) -> Int64 {
        let age = max(0, now - probe.returned)
        return probe.roundTripNanoseconds / 2 + 1 + age / 1_000_000 * Self.maximumDriftPartsPerMillion
    }

    private func contradicts(_ probe: ClockProbe, _ other: ClockProbe) -> Bool {
        let apart = abs(probe.offsetNanoseconds - other.offsetNanoseconds)
        return apart > Self.bound(of: probe, at: probe.returned) + Self.bound(of: other, at: probe.returned)
    }
}
