import CaptureModel
import NodeAgent
import PhotoCapture
import RigClock
import Testing

@Suite("The time of a photo")
struct RigCalendarTests {
    private func probe(_ clock: SystemClockReading?) -> ClockProbe {
        var probe = ClockProbe(
            sent: MonotonicTime(nanoseconds: 1), received: RigTime(nanoseconds: 2), answered: RigTime(nanoseconds: 3),
            returned: MonotonicTime(nanoseconds: 4))
        probe.coordinatorClock = clock
        return probe
    }

    @Test("is rig time by the coordinator's clock, whatever the board's own says")
    func rigTime() {
        let calendar = RigCalendar()
        let estimate = ClockEstimate(status: .active, offsetNanoseconds: .seconds(5), boundNanoseconds: 1)
        calendar.note(probe(SystemClockReading(offset: .seconds(1_000_000), error: nil)), estimate)
        #expect(calendar.reading(at: MonotonicTime(nanoseconds: .seconds(7))).utc == 1_000_012_000_000)
        // What no clock can say changes nothing, nor does a probe whose answer says nothing of UTC.
        calendar.note(probe(SystemClockReading(offset: .max, error: nil)), estimate)
        calendar.note(probe(nil), estimate)
        calendar.note(probe(SystemClockReading(offset: 0, error: nil)), .unavailable)
        #expect(calendar.reading(at: MonotonicTime(nanoseconds: .seconds(7))).utc == 1_000_012_000_000)
        // A coordinator whose clock is set is followed.
        calendar.note(probe(SystemClockReading(offset: .seconds(2_000_000), error: nil)), estimate)
        #expect(calendar.reading(at: MonotonicTime(nanoseconds: 0)).utc == 2_000_005_000_000)
    }
}
