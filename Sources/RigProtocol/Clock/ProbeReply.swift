package import CaptureModel
package import RigClock

/// coordinator -> node, clock plane: the probe's times at the coordinator.
package struct ProbeReply: WireMessage, Hashable {
    package static let type = "probeReply"
    /// Repeated from the probe that it answers.
    package var sent: MonotonicTime
    /// When the coordinator received the probe.
    package var received: RigTime
    /// When the coordinator sent this answer.
    package var answered: RigTime
    /// What the coordinator knows about UTC.
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
