import CaptureModel
import RigClock
import RigSimulation
import SimulationKit

/// What a node knows of rig time, against the algorithm of libsoftwaresync on the same probes.
enum ClockBenchmark {
    static func run() async throws -> [Result] {
        let (lan, wireless) = (simulated(SimulatedPath.wired), simulated(SimulatedPath.wireless))
        // Which cores the threads land on makes the two ways unequal, which nobody can see: a recording each.
        let recordings = (0..<5).map { _ in
            let recorded = seenByMany(ClockTrace.loopback(seconds: 25, busyThreads: 3))
            // Their first probe below a millisecond is their last: their pace is none.
            return Contest(ours: recorded, theirs: recorded.map(\.endings))
        }
        let shipped = seenByMany(try await ClockTrace.shipped(seconds: 25, busyThreads: 3))
        return compare("real loopback under load", recordings, atOnce: 1.0 / 15, later: 1.0 / 50)
            + compare(
                "the same as it is shipped: ZeroMQ, CURVE, JSON",
                [Contest(ours: shipped, theirs: shipped.map(\.endings))],
                atOnce: 1, later: 1.0 / 4)
            + compare("simulated wired network", [lan], atOnce: 1.0 / 50, later: 1.0 / 50)
            + compare("simulated wireless network", [wireless], atOnce: 1.0 / 4, later: 1.0 / 8)
            + [coldStart()]
    }

    /// What both are fed: the same network or recording, each at its own pace.
    private struct Contest {
        let ours: [ClockTrace]
        let theirs: [ClockTrace]
    }

    private static func simulated(_ path: (UInt64) -> SimulatedPath) -> Contest {
        let seeds = UInt64(1)...40
        return Contest(
            ours: seeds.map { ClockTrace.simulated(path($0), seconds: 60, seed: $0) },
            theirs: seeds.map { ClockTrace.simulated(path($0), runs: 5, of: SoftwareSync.cycles, seed: $0) })
    }

    /// A recording as boards with other clocks would have made it.
    private static func seenByMany(_ recorded: ClockTrace) -> [ClockTrace] {
        (-4...4).map { step in
            recorded.seen(by: SimulatedClock(offset: 1 << 40, skew: Double(step) * 10e-6, wander: (0.1e-6, 300)))
        }
    }

    /// The ratio of p99 errors, as the median over several sets of traces.
    private static func compare(
        _ name: String, _ sets: [Contest], atOnce: Double, later: Double
    ) -> [Result] {
        let ratios = sets.map { contest -> (now: Double, later: Double) in
            let theirs = Errors(contest.theirs.map { SoftwareSync.errors(on: $0) })
            let ours = Errors(contest.ours.map { Self.errors(on: $0) })
            print("     \(name), p99: \(theirs.text) libsoftwaresync, \(ours.text) Volley")
            return (ours.now / theirs.now, ours.later / theirs.later)
        }
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        return [
            Result(
                name: "clock, \(name): p99 error over libsoftwaresync's, at once", value: median(ratios.map(\.now)),
                unit: "", threshold: 0...atOnce),
            Result(
                name: "clock, \(name): the same, ten seconds after the last probe",
                value: median(ratios.map(\.later)), unit: "", threshold: 0...later),
        ]
    }

    /// The estimate's errors in nanoseconds, once it has seen ten seconds of probes.
    private static func errors(on trace: ClockTrace) -> (now: [Double], later: [Double]) {
        var filter = HullFilter()
        var due = Int64.min
        var (now, later): ([Double], [Double]) = ([], [])
        let start = trace.probes.first?.returned ?? 0
        for pair in trace.pairs {
            guard let returned = pair.last?.returned, returned >= due else { continue }
            due = returned + filter.interval - 25_000_000
            for (probe, _) in pair { filter.add(probe) }
            guard returned - start > .seconds(10) else { continue }
            func error(_ time: Int64) -> Double {
                let estimate = filter.estimate(at: trace.clock.local(time))
                return Double(abs(estimate.offsetNanoseconds - trace.clock.trueOffset(at: time)))
            }
            now.append(error(returned))
            later.append(error(returned + .seconds(10)))
        }
        return (now, later)
    }

    /// How long after the first probe the p99 error stays below 10 µs, over 400 cold starts on the wired network.
    private static func coldStart() -> Result {
        let late = (UInt64(1)...400).count { seed in
            let trace = ClockTrace.simulated(.wired(seed: seed &+ 1000), seconds: 2, seed: seed)
            var filter = HullFilter()
            for (probe, _) in trace.probes { filter.add(probe) }
            guard let last = trace.probes.last?.returned else { return true }
            let estimate = filter.estimate(at: trace.clock.local(last))
            return abs(estimate.offsetNanoseconds - trace.clock.trueOffset(at: last)) >= 10_000
        }
        return Result(
            name: "clock, simulated wired network: share of 400 cold starts not below 10 µs after 2 s",
            value: Double(late) / 400, unit: "", threshold: 0...0.01)
    }

    private struct Errors {
        let now: Double
        let later: Double

        init(_ errors: [(now: [Double], later: [Double])]) {
            now = Self.p99(errors.flatMap(\.now))
            later = Self.p99(errors.flatMap(\.later))
        }

        private static func p99(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        }

        var text: String {
            func microseconds(_ value: Double) -> String { "\((value / 10).rounded() / 100) µs" }
            return "\(microseconds(now)) at once and \(microseconds(later)) after 10 s"
        }
    }
}

/// The clock of libsoftwaresync as published (S. Ansari et al., "Wireless software synchronization of multiple
/// distributed cameras", ICCP 2019, and SimpleNetworkTimeProtocol): up to 300 probes, of which the one with the
/// shortest round trip counts, and the first below a millisecond ends it; then the offset holds for an hour. Each probe
/// is sent as soon as the one before is answered.
private enum SoftwareSync {
    static let cycles = 300
    private static let goodRoundTrip: Int64 = 1_000_000

    /// For each run of probes: the error at once, and ten seconds later; in nanoseconds.
    static func errors(on trace: ClockTrace) -> (now: [Double], later: [Double]) {
        var (now, later): ([Double], [Double]) = ([], [])
        for run in trace.pairs {
            var best: (trip: Int64, offset: Int64)?
            var end: Int64 = 0
            for (probe, returned) in run {
                end = returned
                guard best.map({ probe.roundTripNanoseconds < $0.trip }) ?? true else { continue }
                best = (probe.roundTripNanoseconds, probe.offsetNanoseconds)
                if probe.roundTripNanoseconds < goodRoundTrip { break }
            }
            guard let best else { continue }
            now.append(Double(abs(best.offset - trace.clock.trueOffset(at: end))))
            later.append(Double(abs(best.offset - trace.clock.trueOffset(at: end + .seconds(10)))))
        }
        return (now, later)
    }
}
