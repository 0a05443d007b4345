package import CaptureModel

/// Where a node's knowledge of rig time stands; the words are those of Apple's `AVExternalSyncDevice`.
package enum ClockStatus: String, Sendable, Codable, Hashable {
    /// No probe was answered yet, or too long ago.
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
    /// Rig time minus the node's CLOCK_MONOTONIC, in nanoseconds.
    package var offsetNanoseconds: Int64
    /// The true offset is within this distance of ``offsetNanoseconds``.
    package var boundNanoseconds: Int64

    package init(status: ClockStatus, offsetNanoseconds: Int64, boundNanoseconds: Int64) {
        self.status = status
        self.offsetNanoseconds = offsetNanoseconds
        self.boundNanoseconds = boundNanoseconds
    }

    /// The rig time of an instant of this node.
    package func rigTime(at time: MonotonicTime) -> RigTime {
        RigTime(nanoseconds: time.nanoseconds + offsetNanoseconds)
    }

    /// The node's instant of a rig time.
    package func monotonicTime(at time: RigTime) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds - offsetNanoseconds)
    }
}
