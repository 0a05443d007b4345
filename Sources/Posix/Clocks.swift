package import CPosix
import Glibc

/// The clocks of this board, read at the edge and handed inwards as values.
package enum Clocks {
    /// Nanoseconds of CLOCK_MONOTONIC, the clock of V4L2 timestamps.
    package static func monotonicNanoseconds() -> Int64 {
        read(CLOCK_MONOTONIC)
    }

    /// Microseconds since the Unix epoch, by CLOCK_REALTIME.
    package static func microsecondsSinceEpoch() -> Int64 {
        read(CLOCK_REALTIME) / 1000
    }

    /// CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds.
    package static func realtimeOffset() -> Int64 { difference(CLOCK_REALTIME) }

    /// How far CLOCK_REALTIME can be from UTC, in nanoseconds, according to whoever disciplines it; nil if nobody does,
    /// or if the kernel does not say, as in a sandbox that forbids the call.
    ///
    /// - Parameter ask: adjtimex(2), which returns -1 and leaves the state untouched if it is refused.
    package static func realtimeError(
        _ ask: (UnsafeMutablePointer<timex>) -> CInt = { adjtimex($0) }
    ) -> Int64? {
        var state = timex()
        let answer = ask(&state)
        guard answer >= 0, answer != TIME_ERROR, state.status & STA_UNSYNC == 0 else { return nil }
        return Int64(state.maxerror) * 1000
    }

    /// How long this board has been suspended since it booted, in nanoseconds; CLOCK_MONOTONIC stands still meanwhile.
    package static func suspendedNanoseconds() -> Int64 { difference(CLOCK_BOOTTIME) }

    /// Nanoseconds of CLOCK_BOOTTIME: since this board booted, with the time for which it was suspended.
    package static func boottimeNanoseconds() -> Int64 { read(CLOCK_BOOTTIME) }

    /// A clock minus CLOCK_MONOTONIC: the least disturbed of five readings.
    private static func difference(_ clock: clockid_t) -> Int64 {
        let readings = (0..<5).map { _ in
            let before = read(CLOCK_MONOTONIC)
            let other = read(clock)
            let gap = read(CLOCK_MONOTONIC) - before
            return (difference: other - before - gap / 2, gap: gap)
        }
        return readings.min { $0.gap < $1.gap }?.difference ?? 0
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Puts this thread to sleep until an instant of CLOCK_MONOTONIC; returns at once if that has passed.
    package static func sleepThread(untilMonotonicNanoseconds nanoseconds: Int64) {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
