import CaptureModel
import Glibc
package import RigClock

/// The path between a node and its coordinator, in virtual time: what each direction takes at least, what queues add,
/// and what is lost; pure, seeded.
package struct SimulatedPath: Sendable {
    /// The least that each direction takes, in nanoseconds.
    package var (out, back): (Int64, Int64)
    /// The mean of what ordinary queues add, in nanoseconds; exponentially distributed.
    package var jitter: Double
    /// The chance that a message is caught behind a burst, and the burst's scale in nanoseconds; Pareto, exponent 1.5.
    package var burst: (chance: Double, scale: Double)
    /// The share of probes that never come back.
    package var loss: Double
    private var random: SplitMix64

    package init(
        out: Int64, back: Int64, jitter: Double, burst: (chance: Double, scale: Double) = (0, 0), loss: Double = 0,
        seed: UInt64
    ) {
        (self.out, self.back) = (out, back)
        self.jitter = jitter
        self.burst = burst
        self.loss = loss
        random = SplitMix64(state: seed)
    }

    /// A wired network: 60 µs each way, about 20 µs of queues, and an occasional burst.
    package static func wired(seed: UInt64) -> SimulatedPath {
        SimulatedPath(out: 60_000, back: 60_000, jitter: 20_000, burst: (0.05, 100_000), loss: 0.002, seed: seed)
    }

    /// A wireless network: milliseconds, and worse.
    package static func wireless(seed: UInt64) -> SimulatedPath {
        SimulatedPath(out: 900_000, back: 900_000, jitter: 600_000, burst: (0.1, 2_000_000), loss: 0.02, seed: seed)
    }

    /// Draws what one direction takes this time, in nanoseconds.
    package mutating func delay(_ least: Int64) -> Int64 {
        let queue = -log(Double.random(in: Double.ulpOfOne..<1, using: &random)) * jitter
        var caught = 0.0
        if Double.random(in: 0..<1, using: &random) < burst.chance {
            caught = burst.scale * (pow(Double.random(in: Double.ulpOfOne..<1, using: &random), -1 / 1.5) - 1)
        }
        // No queue holds more than a second.
        return least + Int64(min(queue + caught, 1e9))
    }

    /// Sends a probe from a board with this clock at an instant of virtual time; nil if it is lost.
    ///
    /// - Parameter boot: the instant from which the coordinator counts rig time.
    package mutating func probe(
        _ clock: SimulatedClock, at rig: Int64, boot: Int64 = 0
    ) -> (probe: ClockProbe, returned: Int64)? {
        let isLost = Double.random(in: 0..<1, using: &random) < loss
        let received = rig + delay(out)
        let answered = received + 2_000
        let returned = answered + delay(back)
        let probe = ClockProbe(
            sent: clock.local(rig), received: RigTime(nanoseconds: received - boot),
            answered: RigTime(nanoseconds: answered - boot), returned: clock.local(returned))
        return isLost ? nil : (probe, returned)
    }
}
