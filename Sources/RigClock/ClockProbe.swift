package import CaptureModel

/// The four times of one answered probe (RFC 5905 names them T1 to T4).
package struct ClockProbe: Sendable, Hashable {
    /// The node sent the probe.
    package let sent: MonotonicTime
    /// The coordinator received it.
    package let received: RigTime
    /// The coordinator sent its answer.
    package let answered: RigTime
    /// The node received the answer.
    package let returned: MonotonicTime
    /// What the node knows about UTC; nil where nobody has read it.
    package var ownClock: SystemClockReading?
    /// What the coordinator knows about UTC, from its answer; nil where it did not say.
    package var coordinatorClock: SystemClockReading?

    package init(sent: MonotonicTime, received: RigTime, answered: RigTime, returned: MonotonicTime) {
        self.sent = sent
        self.received = received
        self.answered = answered
        self.returned = returned
    }

    /// The time on the way, there and back, without the time that the coordinator took.
    package var roundTripNanoseconds: Int64 { (returned - sent) - (answered - received) }

    /// Rig time minus node time if both ways took equally long; wrong by at most half the round trip.
    package var offsetNanoseconds: Int64 {
        let forward = received.nanoseconds - sent.nanoseconds
        let backward = answered.nanoseconds - returned.nanoseconds
        return backward + (forward - backward) / 2
    }

    /// False for times that no honest exchange gives.
    package var isPlausible: Bool {
        // A clock counts from boot: anything beyond 73 years is not a time, and would overflow what follows.
        let isSane = [sent.nanoseconds, received.nanoseconds, answered.nanoseconds, returned.nanoseconds]
            .allSatisfy { abs($0 / 2) < 1 << 60 }
        return isSane && returned >= sent && answered >= received && roundTripNanoseconds >= 0
    }
}
