package import CaptureModel
import Glibc

/// A board's clock relative to rig time, in virtual time; pure.
///
/// It starts with an offset, and its rate wanders like a crystal that warms and cools: a sine over several minutes.
package struct SimulatedClock: Sendable {
    /// Rig time minus the board's clock at rig time 0, in nanoseconds.
    package var offset: Int64
    /// How fast the board's clock is: seconds gained per second.
    package var skew: Double
    /// The rate's swing around ``skew``, and its period in seconds.
    package var wander: (swing: Double, period: Double)
    /// Steps of the board's clock, each from a rig time on, in nanoseconds; positive if rig time jumps ahead of it, as
    /// after a suspension of the board.
    package var steps: [(at: Int64, by: Int64)] = []

    package init(offset: Int64 = 0, skew: Double = 0, wander: (swing: Double, period: Double) = (0, 300)) {
        self.offset = offset
        self.skew = skew
        self.wander = wander
    }

    /// What the board's clock shows at an instant of rig time.
    package func local(_ rig: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: rig - trueOffset(at: rig))
    }

    /// The instant of rig time at which the board's clock shows this.
    package func rig(_ local: MonotonicTime) -> Int64 {
        var rig = local.nanoseconds + offset
        // Each iteration leaves only the rate's share of the previous error: after four, nothing of an hour.
        for _ in 0..<4 { rig = local.nanoseconds + trueOffset(at: rig) }
        return rig
    }

    /// Rig time minus the board's clock at an instant of rig time, in nanoseconds.
    package func trueOffset(at rig: Int64) -> Int64 {
        let seconds = Double(rig) * 1e-9
        let phase = 2 * Double.pi / wander.period
        // The integral of skew + swing * sin(phase * t).
        let gained = skew * seconds + wander.swing / phase * (1 - cos(phase * seconds))
        let stepped = steps.reduce(Int64(0)) { $1.at <= rig ? $0 + $1.by : $0 }
        return offset - Int64((gained * 1e9).rounded()) + stepped
    }
}
