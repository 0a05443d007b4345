import CaptureModel
import Foundation
import PhotoCapture
import SimulatedCamera
import SimulationKit
import Testing

@Suite("Learning a camera that was never met")
struct CalibrationMachineTests {
    /// Cameras of which a part of the curve hung on few readings, and was off by one amount.
    private static let found: [UInt64] = [560, 4870, 9332]

    /// Which cameras: VOLLEY_CAMERAS, as in 1-10000, or a sample.
    private static let seeds: [UInt64] = {
        let text = ProcessInfo.processInfo.environment["VOLLEY_CAMERAS"] ?? "1-200"
        let ends = text.split(separator: "-").compactMap { UInt64($0) }
        return Array((ends.first ?? 1)...(ends.last ?? 1)) + found
    }()

    @Test("keeps no wrong profile, whatever its tones, its gain and its delays, and learns nearly all")
    func cameras() {
        var (learned, without, failed) = (0, 0, 0)
        var frames: [Int] = []
        var errors: [Double] = []
        for seed in Self.seeds {
            var camera = ModelCamera(seed: seed)
            let (result, count) = camera.learn()
            frames.append(count)
            switch result {
            case .success(let profile):
                if profile.response == nil { without += 1 } else { learned += 1 }
                for problem in camera.problems(of: profile, &errors) {
                    Issue.record("camera \(seed) (\(camera.tone), \(camera.law)): \(problem)")
                }
            case .failure(let error):
                failed += 1
                #expect(error.code == .calibrationFailed, "camera \(seed)")
            }
        }
        frames.sort()
        errors = errors.isEmpty ? [0] : errors.sorted()
        let worst = errors.last ?? 0
        print(
            "\(Self.seeds.count) cameras: \(learned) learned, \(without) without a curve, \(failed) failed;",
            "\(frames[frames.count / 2]) frames, at most \(frames.last ?? 0); light told within",
            "\(errors[errors.count / 2]) EV (median), \(errors[errors.count * 99 / 100]) (99 %), \(worst) (worst)")
        #expect(Double(learned) >= 0.98 * Double(Self.seeds.count))
    }
}

extension ModelCamera {
    /// What a profile has wrong.
    func problems(of profile: CameraProfile, _ errors: inout [Double]) -> [String] {
        var problems: [String] = []
        if profile.delays.exposureDuration != delays.exposureDuration {
            problems.append("exposures are told to act after \(profile.delays), not \(delays)")
        }
        if law != .none, profile.delays.gain != delays.gain {
            problems.append("gains are told to act after \(profile.delays), not \(delays)")
        }
        guard let curve = profile.response else { return problems }
        var random = SplitMix64(state: 7)
        for (from, to) in [(-2.0, 0.0), (-1, 1), (0, 1.5), (-2.5, -1), (-0.5, 0.5), (0, 1.0)] {
            let exposures = [from, to].map { ev in
                taken(ControlValues(Exposure(duration: ExposureDuration(seconds: base.duration!.seconds * exp2(ev)))))
                    .exposure
            }
            let grids = exposures.map { grid($0, noise: noise, using: &random) }
            guard case .measured(let ev) = LightChange(from: grids[0], to: grids[1], curve) else { continue }
            let error = abs(ev - (light(exposures[1]) - light(exposures[0])))
            errors.append(error)
            // What the verifier grants.
            if error > 0.15 + 0.04 * (to - from) { problems.append("\(from)...\(to) EV are told wrong by \(error)") }
        }
        guard let lowest = profile.gains.first else { return problems }
        for share in stride(from: 0.0, through: 1, by: 0.05) {
            let range = law.range ?? 0...0
            let gain = (range.lowerBound + share * (range.upperBound - range.lowerBound)).rounded()
            guard profile.knows(gain: gain) else { continue }
            let duration = base.duration
            let told =
                (profile.light(of: Exposure(duration: duration, gain: gain)) ?? 0)
                - (profile.light(of: Exposure(duration: duration, gain: lowest.gain)) ?? 0)
            let error = abs(told - log2(law.factor(gain) / law.factor(lowest.gain)))
            if error > 0.25 { problems.append("a gain of \(gain) is told wrong by \(error)") }
        }
        return problems
    }
}
