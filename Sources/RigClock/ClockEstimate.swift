package import CaptureModel

/// The state of a node's knowledge of rig time, in the terms of Apple's `AVExternalSyncDevice`.
package enum ClockStatus: String, Sendable, Codable, Hashable {
    /// No probe has been answered yet.
    case unavailable
    /// Probes are being answered, but still too few for the bound to be trusted.
    case calibrating
    /// The offset is known and its bound is fresh.
    case active
    /// Answers stopped; the offset is extrapolated with a growing bound. Captures are tainted.
    case freeRun
}

/// What a node knows about rig time at one instant.
package struct ClockEstimate: Sendable, Codable, Hashable {
    /// How far the other numbers are to be trusted.
    package var status: ClockStatus
    /// Rig time minus the node's CLOCK_MONOTONIC at ``asOf``, in nanoseconds.
    package var offsetNanoseconds: Int64
    /// The true offset is within this distance of ``offsetNanoseconds``.
    package var boundNanoseconds: Int64
    /// How fast the offset grows, without unit: seconds of offset a second.
    package var rate: Double
    /// The true rate is within this distance of ``rate``, apart from any change since; nil where no bound was given.
    package var rateBound: Double?
    /// The node's instant for which the estimate was made.
    package var asOf: MonotonicTime

    package init(
        status: ClockStatus, offsetNanoseconds: Int64, boundNanoseconds: Int64, rate: Double = 0,
        rateBound: Double? = nil, asOf: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) {
        self.status = status
        self.offsetNanoseconds = offsetNanoseconds
        self.boundNanoseconds = boundNanoseconds
        self.rate = rate
        self.rateBound = rateBound
        self.asOf = asOf
    }

    /// Nothing is known.
    package static let unavailable = ClockEstimate(
        status: .unavailable, offsetNanoseconds: 0, boundNanoseconds: .max)

    /// Whether the estimate gives rig time at all.
    package var isKnown: Bool { status == .active || status == .freeRun }

    private func offset(at time: MonotonicTime) -> Int64 {
        offsetNanoseconds + Int64(clamped: (Double(time - asOf) * rate).rounded())
    }

    /// The rig time of an instant of this node.
    package func rigTime(at time: MonotonicTime) -> RigTime {
        RigTime(nanoseconds: time.nanoseconds + offset(at: time))
    }

    /// How far the rig time of an instant can be from what ``rigTime(at:)`` says, in nanoseconds.
    ///
    /// A photo is dated when its file is stored, which may be seconds after its exposure: the rate's own uncertainty
    /// adds up over that time.
    package func bound(at time: MonotonicTime) -> Int64 {
        let seconds = abs(Double(time - asOf)) * 1e-9
        let off = (rateBound ?? 0) + HullFilter.maximumWander / 2 * seconds
        return boundNanoseconds + Int64(clamped: min((off * seconds * 1e9).rounded(.up), 1e18))
    }

    /// The node's instant of a rig time.
    package func monotonicTime(at time: RigTime) -> MonotonicTime {
        let rough = MonotonicTime(nanoseconds: time.nanoseconds - offsetNanoseconds)
        return MonotonicTime(nanoseconds: time.nanoseconds - offset(at: rough))
    }
}
