package import CaptureModel

/// Where a node's knowledge of rig time stands; the words are those of Apple's `AVExternalSyncDevice`.
package enum ClockStatus: String, Sendable, Codable, Hashable {
    /// No probe was answered yet.
    case unavailable
    /// Probes are answered; too few for a bound that deserves trust.
    case calibrating
    /// The offset is known, its bound is fresh.
    case active
    /// Probes stopped; the offset is carried on with a growing bound. Captures are tainted.
    case freeRun
}

/// What a node knows of rig time at one instant.
package struct ClockEstimate: Sendable, Codable, Hashable {
    package var status: ClockStatus
    /// Rig time minus the node's CLOCK_MONOTONIC at ``asOf``, in nanoseconds.
    package var offsetNanoseconds: Int64
    /// The true offset is within this distance of ``offsetNanoseconds``.
    package var boundNanoseconds: Int64
    /// By how much the offset grows, without unit: seconds of offset a second.
    package var rate: Double
    /// The true rate is within this distance of ``rate``, but for what it changes meanwhile; nil where nobody said so.
    package var rateBound: Double?
    /// The node's instant of which the estimate is.
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

    /// Whether rig time can be told at all.
    package var isKnown: Bool { status == .active || status == .freeRun }

    private func offset(at time: MonotonicTime) -> Int64 {
        offsetNanoseconds + Int64((Double(time - asOf) * rate).rounded())
    }

    /// The rig time of an instant of this node.
    package func rigTime(at time: MonotonicTime) -> RigTime {
        RigTime(nanoseconds: time.nanoseconds + offset(at: time))
    }

    /// How far the rig time of an instant can be from what ``rigTime(at:)`` says, in nanoseconds.
    ///
    /// A photo is dated when its file is kept, which may be seconds after its exposure: the rate's own uncertainty adds
    /// up over that.
    package func bound(at time: MonotonicTime) -> Int64 {
        let seconds = abs(Double(time - asOf)) * 1e-9
        let off = (rateBound ?? 0) + HullFilter.maximumWander / 2 * seconds
        return boundNanoseconds + Int64((off * seconds * 1e9).rounded(.up))
    }

    /// The node's instant of a rig time.
    package func monotonicTime(at time: RigTime) -> MonotonicTime {
        let rough = MonotonicTime(nanoseconds: time.nanoseconds - offsetNanoseconds)
        return MonotonicTime(nanoseconds: time.nanoseconds - offset(at: rough))
    }
}

/// What became of the probes of the window.
package struct ProbeStatistics: Sendable, Codable, Hashable {
    package var count = 0
    /// The shortest, the middle and the longest time on the way, both ways, in nanoseconds.
    package var shortest: Int64 = 0
    package var median: Int64 = 0
    package var longest: Int64 = 0
    /// How often the estimate had to start over.
    package var restarts = 0

    package init() {}
}
