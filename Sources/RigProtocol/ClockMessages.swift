package import CaptureModel
package import RigClock

/// node -> coordinator, clock plane: what time is it?
package struct Probe: WireMessage, Hashable {
    package static let type = "probe"
    package var sent: MonotonicTime

    package init(sent: MonotonicTime) {
        self.sent = sent
    }
}

/// coordinator -> node, clock plane: the probe's times at the coordinator.
package struct ProbeReply: WireMessage, Hashable {
    package static let type = "probeReply"
    package var sent: MonotonicTime
    package var received: RigTime
    package var answered: RigTime
    /// What the coordinator knows of UTC.
    package var systemClock: SystemClockReading?

    package init(
        sent: MonotonicTime, received: RigTime, answered: RigTime, systemClock: SystemClockReading? = nil
    ) {
        self.sent = sent
        self.received = received
        self.answered = answered
        self.systemClock = systemClock
    }
}
