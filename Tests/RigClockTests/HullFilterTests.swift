import CaptureModel
import RigClock
import SimulationKit
import Testing

/// A board that probes its coordinator in virtual time, and what its estimate is worth all along.
private struct Scenario {
    var clock = SimulatedClock(offset: 7_654_321)
    var path = SimulatedPath.wired(seed: 1)
    var filter = HullFilter()
    private(set) var rig: Int64 = .seconds(1000)
    /// Of each moment that was looked at: how far the estimate is off, and its bound; in nanoseconds.
    private(set) var seen: [(error: Int64, bound: Int64)] = []
    /// The same, of instants that were some seconds ago.
    private(set) var seenBefore: [(error: Int64, bound: Int64)] = []
    private(set) var startedOver = 0

    /// Probes for some seconds, and looks at the estimate between any two probes.
    mutating func run(seconds: Double, isAnswered: Bool = true) {
        let end = rig + Int64(seconds * 1e9)
        while rig < end {
            let interval = filter.interval
            var (sent, turns) = (rig, isAnswered ? 2 : 0)
            while turns > 0, let (probe, returned) = path.probe(clock, at: sent) {
                if filter.add(probe) == .startedOver { startedOver += 1 }
                (sent, turns) = (returned, turns - 1)
            }
            look(at: max(sent, rig + interval / 2))
            rig += interval
        }
    }

    private mutating func look(at time: Int64) {
        let estimate = filter.estimate(at: clock.local(time))
        guard estimate.status != .unavailable else { return }
        seen.append((abs(estimate.offsetNanoseconds - clock.trueOffset(at: time)), estimate.boundNanoseconds))
        for age in [Int64.seconds(1), .seconds(5)] where time - age > .seconds(1000) {
            let then = clock.local(time - age)
            let error = abs(estimate.rigTime(at: then).nanoseconds - (time - age))
            if estimate.isKnown { seenBefore.append((error, estimate.bound(at: then))) }
        }
    }

    var estimate: ClockEstimate { filter.estimate(at: clock.local(rig)) }
    var error: Int64 { abs(estimate.offsetNanoseconds - clock.trueOffset(at: rig)) }

    mutating func forget() { seen = [] }

    /// The board's clock stands still for this long, or jumps ahead where it is negative.
    mutating func step(_ by: Int64) {
        clock.steps.append((rig + 1, by))
        rig += max(0, by)
    }

    func quantile(_ share: Double, of values: [Int64]) -> Int64 {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }

    /// The share of moments at which the true offset is within the bound.
    var covered: Double { Double(seen.count { $0.error <= $0.bound }) / Double(seen.count) }
}

extension SimulatedPath {
    fileprivate func reseeded(_ seed: UInt64) -> SimulatedPath {
        SimulatedPath(out: out, back: back, jitter: jitter, burst: burst, loss: loss, seed: seed)
    }
}

@Suite("The clock filter")
struct HullFilterTests {
    private static let weathers: [(name: String, clock: SimulatedClock, path: SimulatedPath)] = [
        ("wired", SimulatedClock(offset: -88_000_000, skew: 20e-6), .wired(seed: 11)),
        ("wired, warming", SimulatedClock(offset: 5, skew: -35e-6, wander: (0.5e-6, 300)), .wired(seed: 12)),
        ("wireless", SimulatedClock(offset: 1 << 50, skew: 50e-6, wander: (0.3e-6, 600)), .wireless(seed: 13)),
        (
            "lossy and slow", SimulatedClock(offset: 0, skew: -50e-6),
            SimulatedPath(
                out: 20_000_000, back: 20_000_000, jitter: 5_000_000, burst: (0.2, 20_000_000), loss: 0.4, seed: 14)
        ),
        (
            "unequal ways", SimulatedClock(offset: 99, skew: 10e-6),
            SimulatedPath(out: 2_000_000, back: 100_000, jitter: 50_000, burst: (0.05, 300_000), seed: 15)
        ),
    ]

    @Test("keeps the true offset within its bound in 999 of 1000 moments, in any weather", arguments: weathers.indices)
    func boundHolds(weather: Int) {
        let (name, clock, path) = Self.weathers[weather]
        var scenario = Scenario(clock: clock, path: path)
        scenario.run(seconds: 120)
        #expect(scenario.covered >= 0.999, "\(name): \(scenario.covered)")
        #expect(scenario.startedOver == 0, "\(name)")
    }

    @Test("dates what was seconds ago within the bound of then", arguments: weathers.indices)
    func boundHoldsBefore(weather: Int) {
        let (name, clock, path) = Self.weathers[weather]
        for seed in 0..<20 as Range<UInt64> {
            var scenario = Scenario(clock: clock, path: path.reseeded(seed))
            scenario.run(seconds: 8)
            let missed = scenario.seenBefore.count { $0.error > $0.bound }
            #expect(missed == 0 && scenario.seenBefore.count > 20, "\(name): \(missed)")
        }
    }

    @Test("does not say less than it knows: the bound stays near the shortest way", arguments: weathers.indices)
    func boundIsNotVacuous(weather: Int) {
        let (name, clock, path) = Self.weathers[weather]
        var scenario = Scenario(clock: clock, path: path)
        scenario.run(seconds: 60)
        scenario.forget()
        scenario.run(seconds: 60)
        let shortest = (path.out + path.back) / 2
        let typical = scenario.quantile(0.5, of: scenario.seen.map(\.bound))
        #expect(typical < shortest * 3 / 2 + 20_000, "\(name): \(typical) ns, ways of \(shortest) ns")
        let error = scenario.quantile(0.99, of: scenario.seen.map(\.error))
        let unequal = abs(path.out - path.back) / 2
        #expect(error <= unequal + shortest / 10, "\(name): \(error) ns")
    }

    @Test("is below 10 µs two seconds after a cold start on a wired network", arguments: 0..<40 as Range<UInt64>)
    func coldStart(seed: UInt64) {
        let skew = (Double(seed % 9) - 4) * 10e-6
        var scenario = Scenario(clock: SimulatedClock(offset: 1 << 40, skew: skew), path: .wired(seed: seed))
        scenario.run(seconds: 2)
        #expect(scenario.error < 10_000, "\(scenario.error) ns")
        #expect(scenario.estimate.status == .active)
    }

    @Test("carries the offset on without answers, with a bound that grows and holds")
    func holdOver() {
        for seed in 0..<20 as Range<UInt64> {
            var scenario = Scenario(
                clock: SimulatedClock(offset: 3, skew: 30e-6, wander: (0.2e-6, 300)), path: .wired(seed: seed))
            scenario.run(seconds: 40)
            let fresh = scenario.estimate.boundNanoseconds
            scenario.forget()
            scenario.run(seconds: 10, isAnswered: false)
            #expect(scenario.error < 20_000, "\(scenario.error) ns")
            #expect(scenario.estimate.status == .freeRun && scenario.estimate.boundNanoseconds > fresh)
            scenario.run(seconds: 300, isAnswered: false)
            #expect(scenario.covered == 1)
        }
    }

    @Test("goes from unavailable over calibrating to active")
    func status() {
        var scenario = Scenario()
        #expect(scenario.estimate.status == .unavailable)
        scenario.run(seconds: 0.1)
        #expect(scenario.estimate.status == .calibrating)
        scenario.run(seconds: 1)
        #expect(scenario.estimate.status == .active)
    }

    @Test(
        "starts over when a board was suspended or its clock stepped",
        arguments: [-2_000_000_000, 3_000_000, 9_000_000_000])
    func step(by: Int64) {
        var scenario = Scenario(clock: SimulatedClock(offset: 3, skew: 30e-6))
        scenario.run(seconds: 20)
        scenario.step(by)
        scenario.run(seconds: 3)
        #expect(scenario.startedOver >= 1)
        #expect(scenario.error < 10_000 && scenario.estimate.boundNanoseconds < 200_000)
        scenario.filter.reset()
        #expect(scenario.estimate.status == .unavailable)
    }

    @Test("leaves out what no honest exchange gives")
    func implausible() {
        var scenario = Scenario()
        scenario.run(seconds: 10)
        let before = scenario.estimate
        let (now, rig) = (scenario.clock.local(scenario.rig), RigTime(nanoseconds: scenario.rig))
        let forged = [
            // Back before it went, an answer before the question, and less than no time on the way.
            ClockProbe(sent: now + 5, received: rig, answered: rig, returned: now),
            ClockProbe(sent: now, received: rig + 9, answered: rig, returned: now + 100),
            ClockProbe(sent: now, received: rig, answered: rig + 500, returned: now + 100),
            ClockProbe(
                sent: MonotonicTime(nanoseconds: .min), received: rig, answered: rig,
                returned: MonotonicTime(nanoseconds: .max)),
        ]
        for probe in forged { #expect(scenario.filter.add(probe) == .implausible) }
        #expect(scenario.estimate == before)
    }

    @Test("tells an answer's way from the question's, though the clocks differ and drift")
    func ways() throws {
        var filter = HullFilter()
        #expect(filter.statistics.longestAnswer == nil)
        func rigTime(_ time: Int64) -> RigTime { RigTime(nanoseconds: .seconds(1000) + time + time / 50_000) }
        for number in 0..<40 as Range<Int64> {
            let sent = number * .milliseconds(250)
            // Now and then the coordinator is slow to take a question, and a node an answer.
            let out = number == 20 ? Int64.milliseconds(50) : 100_000
            let back = number == 30 ? Int64.milliseconds(7) : 100_000
            let answered = sent + out + 20_000
            filter.add(
                ClockProbe(
                    sent: MonotonicTime(nanoseconds: sent), received: rigTime(sent + out), answered: rigTime(answered),
                    returned: MonotonicTime(nanoseconds: answered + back)))
        }
        let statistics = filter.statistics
        #expect(statistics.count == 40 && (50_099_000...50_101_000).contains(statistics.longest))
        let answer = try #require(statistics.longestAnswer)
        #expect((6_990_000...7_010_000).contains(answer), "\(answer)")
        filter.reset()
        #expect(filter.statistics == ProbeStatistics())
    }

    @Test("turns instants into rig time and back, at its rate")
    func conversion() {
        let clock = ClockEstimate(
            status: .active, offsetNanoseconds: 1_000, boundNanoseconds: 1, rate: 50e-6,
            asOf: MonotonicTime(nanoseconds: .seconds(100)))
        let later = MonotonicTime(nanoseconds: .seconds(110))
        #expect(clock.rigTime(at: later).nanoseconds == .seconds(110) + 1_000 + 500_000)
        #expect(abs(clock.monotonicTime(at: clock.rigTime(at: later)) - later) <= 30)
    }
}
