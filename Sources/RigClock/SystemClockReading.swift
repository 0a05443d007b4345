import CaptureModel

/// What a board knows about UTC from whatever disciplines its CLOCK_REALTIME: chrony, or PTP through phc2sys.
package struct SystemClockReading: Sendable, Codable, Hashable {
    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds.
    package var offset: Int64
    /// How far CLOCK_REALTIME can be from UTC, as the kernel was told (`adjtimex`, maxerror), in nanoseconds; nil for
    /// a clock that nobody disciplines.
    package var error: Int64?

    /// Whether it is small enough that no arithmetic on it overflows.
    package var isPlausible: Bool {
        abs(offset / 2) < 1 << 60 && error.map { (0...Int64.seconds(3600)).contains($0) } ?? true
    }

    package init(offset: Int64, error: Int64?) {
        self.offset = offset
        self.error = error
    }
}
