package import CaptureModel
import PhotoCapture
import Posix
package import RigClock
import Synchronization

/// UTC for this board's instants, from rig time and the coordinator's UTC. The board's own clock may be a year off.
package final class RigCalendar: PhotoCalendar {
    private struct State {
        var estimate = ClockEstimate.unavailable
        /// UTC minus rig time, in nanoseconds.
        var anchor: Int64?
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes in an answered probe, and the estimate of rig time that goes with it.
    package func note(_ probe: ClockProbe, _ estimate: ClockEstimate) {
        guard let clock = probe.coordinatorClock, clock.isPlausible, estimate.isKnown else { return }
        state.withLock { $0 = State(estimate: estimate, anchor: clock.offset) }
    }

    /// How well rig time is known at an instant, in nanoseconds; nil until it is.
    package func bound(at time: MonotonicTime) -> Int64? {
        let state = state.withLock { $0 }
        return state.anchor.map { _ in state.estimate.bound(at: time) }
    }

    /// UTC at an instant; by the board's own clock until the rig's is known.
    package func utc(at time: MonotonicTime) -> UTCTime {
        let (estimate, anchor) = state.withLock { ($0.estimate, $0.anchor) }
        let utc = anchor.map { estimate.rigTime(at: time).nanoseconds + $0 }
        return UTCTime(rawValue: (utc ?? time.nanoseconds + Clocks.realtimeOffset()) / 1000)
    }
}
