import CaptureModel
import RigClock
import Testing

@Suite("The clocks that PTP or chrony keep")
struct SystemClockTests {
    /// A probe of a board that is 7 ms behind rig time, whose UTC is off by so much.
    private func probe(at second: Int64, off: Int64 = 0, error: Int64? = 20_000) -> ClockProbe {
        let rig = Int64.seconds(second)
        var probe = ClockProbe(
            sent: MonotonicTime(nanoseconds: rig - 7_000_000), received: RigTime(nanoseconds: rig + 60_000),
            answered: RigTime(nanoseconds: rig + 61_000),
            returned: MonotonicTime(nanoseconds: rig - 7_000_000 + 300_000))
        probe.coordinatorClock = SystemClockReading(offset: .seconds(1_700_000_000), error: 30_000)
        probe.ownClock = SystemClockReading(offset: .seconds(1_700_000_000) + 7_000_000 + off, error: error)
        return probe
    }

    @Test("give rig time with the errors that both sides state")
    func states() {
        var clock = SystemClock()
        #expect(clock.estimate(at: MonotonicTime(nanoseconds: 0)).status == .unavailable)
        #expect(clock.add(probe(at: 10, off: 15_000)) == .accepted)
        let now = MonotonicTime(nanoseconds: .seconds(10))
        let estimate = clock.estimate(at: now)
        #expect(estimate.status == .active && estimate.offsetNanoseconds == 7_015_000)
        #expect((50_000...60_000).contains(estimate.boundNanoseconds))
        #expect(clock.estimate(at: now + .seconds(6)).status == .freeRun)
    }

    @Test("are not believed where nobody keeps them, or where a probe shows that one is wrong")
    func wrong() {
        var clock = SystemClock()
        clock.add(probe(at: 10, error: nil))
        #expect(clock.estimate(at: MonotonicTime(nanoseconds: .seconds(10))).status == .unavailable)
        clock.add(probe(at: 11))
        #expect(clock.add(probe(at: 12, off: 900_000)) == .startedOver)
        #expect(clock.estimate(at: MonotonicTime(nanoseconds: .seconds(12))).status == .unavailable)
        clock.reset()
        #expect(clock.statistics.count == 0)
    }
}
