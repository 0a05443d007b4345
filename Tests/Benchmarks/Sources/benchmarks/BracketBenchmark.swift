import CaptureModel
import PhotoCapture
import SimulatedCamera
import SimulationKit

/// The span of a bracket against the frames that it must have, three ways on the same seeded sensors.
enum BracketBenchmark {
    /// Delays as libcamera publishes them: exposure, gain, frame length.
    private static let sensors: [(name: String, delays: (Int, Int, Int))] = [
        ("2/1/2 imx219", (2, 1, 2)), ("2/2/2 ov5647", (2, 2, 2)), ("2/2/3 imx708", (2, 2, 3)),
    ]
    private static let counts = [2, 3, 5, 9, 16, 33, 64]
    private static let seeds: [UInt64] = [1, 2, 3, 4, 5]
    /// A span may be so much longer than its frames.
    private static let spanLimit = 1.02

    static func run() -> [Result] {
        var results: [Result] = []
        for (name, published) in sensors {
            // libcamera counts from the frame's start that it hears of; Volley from the arrival of the one before.
            let delays = ControlDelays(
                exposureDuration: published.0 + 1, gain: published.1 + 1, frameDuration: published.2 + 1)
            var worst = (ratio: 0.0, wasted: 0, mislabelled: 0)
            var peers = (skip: 0.0, queue: 0.0)
            var cases = 0.0
            for count in counts {
                for seed in seeds {
                    let steps = mixed(count, seed)
                    let volley = Contestants.volley(steps, VirtualSensor(delays, seed: seed), delays)
                    worst.ratio = max(worst.ratio, volley.spanRatio)
                    worst.wasted += volley.wasted
                    worst.mislabelled += volley.mislabelled
                    peers.skip += Contestants.skipThree(steps, VirtualSensor(delays, seed: seed)).spanRatio
                    peers.queue +=
                        Contestants.delayedControls(steps, VirtualSensor(delays, seed: seed), delays).spanRatio
                    cases += 1
                }
            }
            results += [
                Result(
                    name: "bracket \(name): span / bound, worst", value: worst.ratio, unit: "", threshold: 0...spanLimit
                ),
                Result(name: "bracket \(name): wasted frames", value: Double(worst.wasted), unit: "", threshold: 0...0),
                Result(
                    name: "bracket \(name): mislabelled (frames tell their exposure)", value: Double(worst.mislabelled),
                    unit: "", threshold: 0...0),
            ]
            print("     set and skip three frames: \(rounded(peers.skip / cases)) of the bound on the same sensors")
            print("     delayed-control queue:     \(rounded(peers.queue / cases)) of the bound on the same sensors")
            results.append(recovery(name, delays))
            results += hidden(name, delays)
        }
        return results
    }

    /// How many frames a dropped frame costs beyond those of the bracket, against delay + 1 for each.
    private static func recovery(_ name: String, _ delays: ControlDelays) -> Result {
        var excess = -100.0
        var peers = (skip: (span: 0.0, mislabelled: 0), queue: (span: 0.0, mislabelled: 0))
        for seed in UInt64(1)...40 {
            let steps = mixed(16, seed)
            let outcome = Contestants.volley(steps, VirtualSensor(delays, seed: seed, dropRate: 0.04), delays)
            excess = max(excess, Double(outcome.frames - steps.count - outcome.drops * (delays.longest + 1)))
            if outcome.mislabelled > 0 { excess = .infinity }
            let skip = Contestants.skipThree(steps, VirtualSensor(delays, seed: seed, dropRate: 0.04))
            let queue = Contestants.delayedControls(steps, VirtualSensor(delays, seed: seed, dropRate: 0.04), delays)
            peers.skip = (peers.skip.span + skip.spanRatio / 40, peers.skip.mislabelled + skip.mislabelled)
            peers.queue = (peers.queue.span + queue.spanRatio / 40, peers.queue.mislabelled + queue.mislabelled)
        }
        for (peer, outcome) in [("set and skip three frames", peers.skip), ("delayed-control queue", peers.queue)] {
            print(
                "     with the same drops, \(peer): \(rounded(outcome.span)) of the bound, \(outcome.mislabelled) of "
                    + "\(40 * 16) mislabelled")
        }
        return Result(
            name: "bracket \(name): frames beyond (delay + 1) a drop", value: excess, unit: "", threshold: -100...0)
    }

    /// Frames that do not tell their exposure, on a sensor that acts on every twentieth write a frame late: no photo
    /// may be called verified that has other light than it says.
    private static func hidden(_ name: String, _ delays: ControlDelays) -> [Result] {
        var (mislabelled, verified, taken) = (0, 0, 0)
        for seed in UInt64(1)...100 {
            let steps = mixed(9, seed)
            let outcome = Contestants.hidden(
                steps, VirtualSensor(delays, seed: seed, dropRate: 0.02, lateRate: 0.05), delays,
                PictureOracle(seed: seed))
            mislabelled += outcome.mislabelled
            verified += outcome.verified
            taken += steps.count
        }
        print("     frames that do not tell: \(verified) of \(taken) steps verified from their pictures")
        return [
            Result(
                name: "bracket \(name): mislabelled (frames do not tell, controls at times late)",
                value: Double(mislabelled), unit: "", threshold: 0...0)
        ]
    }

    /// Exposures in any mix, some longer than a frame, with ISOs.
    private static func mixed(_ count: Int, _ seed: UInt64) -> [Exposure] {
        var random = SplitMix64(state: seed &* 77 &+ UInt64(count))
        return (0..<count).map { _ in
            Exposure(
                duration: ExposureDuration(nanoseconds: Int64.random(in: 100_000...60_000_000, using: &random)),
                iso: Double(Int.random(in: 100...1600, using: &random)))
        }
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}
