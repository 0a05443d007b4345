package import CaptureModel
import Posix

/// What the times in photos' files are told by.
package protocol PhotoCalendar: Sendable {
    /// UTC of an instant.
    func utc(at time: MonotonicTime) -> UTCTime
    /// How well the rig's time is known at an instant, in nanoseconds; nil outside a rig.
    func bound(at time: MonotonicTime) -> Int64?
}

/// This machine's own clock.
package struct OwnCalendar: PhotoCalendar {
    package init() {}

    package func utc(at time: MonotonicTime) -> UTCTime {
        UTCTime(rawValue: (time.nanoseconds + Clocks.realtimeOffset()) / 1000)
    }

    package func bound(at time: MonotonicTime) -> Int64? { nil }
}
