import CaptureModel
package import PhotoCapture
import Posix
package import RigClock
import Synchronization

/// UTC for this board's instants, from rig time and the coordinator's UTC. The board's own clock may be a year off.
package final class RigCalendar: PhotoCalendar {
    private struct Known {
        var estimate: ClockEstimate
        /// UTC minus rig time, in nanoseconds.
        var anchor: Int64
    }

    private let known = Mutex<Known?>(nil)

    package init() {}

    /// Takes in an answered probe, and the estimate of rig time that goes with it.
    package func note(_ probe: ClockProbe, _ estimate: ClockEstimate) {
        guard let clock = probe.coordinatorClock, clock.isPlausible, estimate.isKnown else { return }
        known.withLock { $0 = Known(estimate: estimate, anchor: clock.offset) }
    }

    /// An instant; by the board's own clock until the rig's is known.
    package func reading(at time: MonotonicTime) -> CalendarReading {
        guard let known = known.withLock({ $0 }) else { return OwnCalendar().reading(at: time) }
        let rigTime = known.estimate.rigTime(at: time)
        return CalendarReading(
            utc: UTCTime(rawValue: (rigTime.nanoseconds + known.anchor) / 1000), rigTime: rigTime,
            bound: known.estimate.bound(at: time))
    }
}
