package import CaptureModel
import Posix

/// What the times in photos' files are told by.
package protocol PhotoCalendar: Sendable {
    /// An instant as this calendar knows it.
    func reading(at time: MonotonicTime) -> CalendarReading
}

/// An instant as a photo's file and the catalogue tell it.
package struct CalendarReading: Sendable, Hashable {
    /// UTC, by the coordinator's clock in a rig.
    package var utc: UTCTime
    /// Rig time; nil outside a rig.
    package var rigTime: RigTime?
    /// How well ``rigTime`` is known, in nanoseconds.
    package var bound: Int64 = 0

    /// An instant of which nothing but UTC is known.
    package init(utc: UTCTime) {
        self.utc = utc
    }

    /// An instant of a rig, known to within `bound` nanoseconds.
    package init(utc: UTCTime, rigTime: RigTime, bound: Int64) {
        (self.utc, self.rigTime, self.bound) = (utc, rigTime, bound)
    }
}

/// This machine's own clock.
package struct OwnCalendar: PhotoCalendar {
    package init() {}

    package func reading(at time: MonotonicTime) -> CalendarReading {
        CalendarReading(utc: UTCTime(rawValue: (time.nanoseconds + Clocks.realtimeOffset()) / 1000))
    }
}
