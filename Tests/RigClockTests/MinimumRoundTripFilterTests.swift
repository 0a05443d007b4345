import CaptureModel
import RigClock
import Testing

/// A node whose clock is off by `offset` and fast by `drift`, probing over paths of given lengths.
private struct Path {
    var offset: Int64
    var driftPartsPerMillion: Int64 = 0

    func probe(at rig: Int64, out: Int64, back: Int64) -> ClockProbe {
        ClockProbe(
            sent: local(rig), received: RigTime(nanoseconds: rig + out),
            answered: RigTime(nanoseconds: rig + out + 1_000), returned: local(rig + out + 1_000 + back))
    }

    func local(_ rig: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: rig - offset + rig / 1_000_000 * driftPartsPerMillion)
    }

    func trueOffset(at rig: Int64) -> Int64 { rig - local(rig).nanoseconds }
}

@Suite("The clock filter")
struct MinimumRoundTripFilterTests {
    @Test("keeps the true offset within its bound on paths of any asymmetry, with drift")
    func boundHolds() {
        var random = SystemRandomNumberGenerator()
        let path = Path(offset: 7_654_321, driftPartsPerMillion: 40)
        var filter = MinimumRoundTripFilter()
        var rig: Int64 = .seconds(100)
        for _ in 0..<2_000 {
            let out = Int64.random(in: 20_000...3_000_000, using: &random)
            let back = Int64.random(in: 20_000...3_000_000, using: &random)
            let probe = path.probe(at: rig, out: out, back: back)
            filter.add(probe)
            let estimate = filter.estimate(at: probe.returned)
            let now = rig + out + 1_000 + back
            #expect(abs(estimate.offsetNanoseconds - path.trueOffset(at: now)) <= estimate.boundNanoseconds)
            rig += .milliseconds(50)
        }
        // Not vacuous: the best of many probes bounds better than a typical one.
        #expect(filter.estimate(at: path.local(rig)).boundNanoseconds < 800_000)
    }

    @Test("goes from unavailable over calibrating to active, and free-runs without answers")
    func status() {
        let path = Path(offset: 5)
        var filter = MinimumRoundTripFilter()
        #expect(filter.estimate(at: path.local(0)).status == .unavailable)
        for index in 0..<Int64(MinimumRoundTripFilter.calibrationCount) {
            #expect(filter.estimate(at: path.local(index)).status != .active)
            filter.add(path.probe(at: index * 1_000_000, out: 10_000, back: 10_000))
        }
        #expect(filter.estimate(at: path.local(8_000_000)).status == .active)
        let later = filter.estimate(at: path.local(.seconds(20)))
        #expect(later.status == .freeRun)
        #expect(later.boundNanoseconds >= 20 * 100_000)
    }

    @Test("starts over when a clock stepped")
    func step() {
        var filter = MinimumRoundTripFilter()
        filter.add(Path(offset: 1_000).probe(at: 0, out: 10_000, back: 10_000))
        let stepped = Path(offset: -.seconds(60))
        let probe = stepped.probe(at: 1_000_000, out: 50_000, back: 50_000)
        filter.add(probe)
        let estimate = filter.estimate(at: probe.returned)
        #expect(estimate.status == .calibrating)
        #expect(abs(estimate.offsetNanoseconds + .seconds(60)) <= estimate.boundNanoseconds)
    }

    @Test("leaves out a probe that cannot be true")
    func implausible() {
        var filter = MinimumRoundTripFilter()
        let backwards = ClockProbe(
            sent: MonotonicTime(nanoseconds: 100), received: RigTime(nanoseconds: 0),
            answered: RigTime(nanoseconds: 0), returned: MonotonicTime(nanoseconds: 50))
        #expect(filter.add(backwards) == false)
        #expect(filter.estimate(at: MonotonicTime(nanoseconds: 200)).status == .unavailable)
    }

    @Test("converts both ways")
    func converts() {
        let estimate = ClockEstimate(status: .active, offsetNanoseconds: 250, boundNanoseconds: 1)
        let time = MonotonicTime(nanoseconds: 1_000)
        #expect(estimate.monotonicTime(at: estimate.rigTime(at: time)) == time)
    }
}
