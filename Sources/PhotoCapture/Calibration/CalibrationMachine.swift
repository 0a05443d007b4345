package import CaptureModel
import Glibc

/// Learns a camera: the delay of each control, its response curve, and what its gain is worth; pure.
///
/// ```
/// exposureDelay --> gainDelay --> response --> fitting --> gains --> over
///     |  (no gain control)  \----->  ^            |   (no unitless gain: at once)
///     |                              +--contradiction: at most three times
///     +-- no delay explains what was seen, five times --> over
/// ```
///
/// The delays come first and need no curve: see ``DelayCode``. The curve is then fitted to exposures half a stop apart,
/// and checked against them; only with it can gains be measured. It takes about 100 frames; 300 with a gain that obeys
/// one law, 500 and more with one that bends.
package struct CalibrationMachine: Sendable {
    /// What the owner does, in order.
    package enum Action: Hashable, Sendable {
        case write(ControlValues)
        /// Fit a curve, off the camera's thread, and report the result with ``fitted(_:)``.
        case fit([ExposedGrid])
        case finished(CameraProfile)
        case failed(CaptureError)
    }

    private enum Phase {
        case exposureDelay(ControlExperiment)
        case gainDelay(ControlExperiment)
        case response(ControlExperiment)
        case fitting
        case gains(GainSurvey, ControlExperiment)
        case over
    }

    /// Frames after the last write of a code: the first that it can govern, and one more in case a frame is lost.
    private static let codeTail = 2
    /// How many frames a code takes.
    private static let codeLength = Double(DelayCode.levels.count + codeTail)
    /// Between the two levels of a code, in EV; grows each round, in case the camera makes no longer exposures.
    private static let contrast = 1.5
    /// How many contradictory attempts are made before giving up: at the delays, and at pictures for the curve.
    private static let (mostCodes, mostSweeps) = (5, 3)
    /// A gain that does more than this, in EV, shows when it acts.
    private static let visibleGain = 0.5
    /// The most by which two pictures of one exposure may differ, in EV.
    private static let repeatability = 0.1
    /// Two pictures of one exposure are alike to within this share of their brightness.
    private static let alike: Float = 0.02

    private let camera: CameraCapabilities
    private let base: Exposure
    private var phase: Phase
    private var profile: CameraProfile
    private var isGainDelayKnown = false
    private var round = 1

    /// - Parameter base: an exposure that is in force and shows the scene well.
    package init(camera: CameraCapabilities, base: Exposure) {
        self.camera = camera
        self.base = base
        profile = CameraProfile(
            modelID: camera.modelID, pixelFormat: camera.pixelFormat,
            delays: camera.controlDelays ?? ControlDelays(DelayCode.longestDelay), source: .calibrated, response: nil)
        phase = .over
        phase = .exposureDelay(experiment(exposureCode))
    }

    /// How much is done, 0...1; the part from response to gains is a guess.
    package var progress: Double {
        switch phase {
        case .exposureDelay(let experiment): 0.25 - 0.25 * Double(experiment.remaining) / Self.codeLength
        case .gainDelay(let experiment): 0.4 - 0.15 * Double(experiment.remaining) / Self.codeLength
        case .response(let experiment): 0.7 - 0.3 * Double(experiment.remaining) / 40
        case .fitting: 0.7
        case .gains(let survey, _): min(0.95, 0.7 + 0.05 * Double(survey.points.count))
        case .over: 1
        }
    }

    /// How long it takes with most cameras, in nanoseconds.
    package static func usualDuration(_ camera: CameraCapabilities) -> Int64 {
        (camera.gainRange == nil && camera.isoRange == nil ? 100 : 300) * camera.frameDurationNanoseconds
    }

    /// A frame has arrived.
    package mutating func frame(_ info: FrameInfo, _ grid: LuminanceGrid?) -> [Action] {
        switch phase {
        case .exposureDelay(var experiment):
            let actions = run(&experiment, info, grid)
            phase = .exposureDelay(experiment)
            return actions + (experiment.isDone ? learnExposureDelay(experiment) : [])
        case .gainDelay(var experiment):
            let actions = run(&experiment, info, grid)
            phase = .gainDelay(experiment)
            if experiment.isDone { learnGainDelay(experiment) }
            return actions
        case .response(var experiment):
            let actions = run(&experiment, info, grid)
            guard experiment.isDone else {
                phase = .response(experiment)
                return actions
            }
            phase = .fitting
            return actions + [.fit(exposedGrids(experiment))]
        case .gains(var survey, var experiment):
            let actions = run(&experiment, info, grid)
            phase = .gains(survey, experiment)
            guard experiment.isDone else { return actions }
            survey.measured(repeated(experiment))
            return actions + measureNext(survey)
        case .fitting, .over:
            return []
        }
    }

    /// The last write was carried out, as these values, after this frame had arrived.
    package mutating func wrote(_ values: ControlValues, after frame: UInt32) {
        switch phase {
        case .exposureDelay(var experiment):
            experiment.wrote(values, after: frame)
            phase = .exposureDelay(experiment)
        case .gainDelay(var experiment):
            experiment.wrote(values, after: frame)
            phase = .gainDelay(experiment)
        case .response(var experiment):
            experiment.wrote(values, after: frame)
            phase = .response(experiment)
        case .gains(let survey, var experiment):
            experiment.wrote(values, after: frame)
            phase = .gains(survey, experiment)
        case .fitting, .over: break
        }
    }

    /// The result of the fit that ``Action/fit(_:)`` asked for.
    package mutating func fitted(_ result: Result<ResponseFit.Finding, ResponseFit.Failure>) -> [Action] {
        guard case .fitting = phase else { return [] }
        switch result {
        case .success(let finding):
            profile.response = finding.curve
            guard let range = camera.gainRange, range.upperBound > range.lowerBound, camera.isoRange == nil else {
                return finish()
            }
            // The camera may not make longer or shorter ones, whatever the driver says.
            let (shortest, longest) = (exp2(finding.evs.lowerBound), exp2(finding.evs.upperBound))
            let durations = ExposureDuration(seconds: shortest)...ExposureDuration(seconds: longest)
            let duration = base.duration.map { min(max($0, durations.lowerBound), durations.upperBound) }
            let start = Exposure(duration: duration, gain: base.gain ?? range.lowerBound)
            return measureNext(GainSurvey(range: range, base: start, durations: durations, curve: finding.curve))
        case .failure where round < Self.mostSweeps:
            round += 1
            phase = .response(sweep())
            return []
        case .failure(let failure):
            profile.limitation = failure.reason
            return finish()
        }
    }

    private func run(_ experiment: inout ControlExperiment, _ info: FrameInfo, _ grid: LuminanceGrid?) -> [Action] {
        experiment.frame(info, grid).map { [.write($0)] } ?? []
    }

    private mutating func finish() -> [Action] {
        phase = .over
        return [.write(ControlValues(base)), .finished(profile)]
    }

    // MARK: The delays

    private func experiment(_ code: [ControlValues]) -> ControlExperiment {
        ControlExperiment(code, tail: Self.codeTail)
    }

    /// The base and a shorter exposure, or a longer one where there is no shorter one.
    private var exposureCode: [ControlValues] {
        let contrast = Self.contrast * Double(round)
        let (base, low) = (Exposure(duration: base.duration), Self.moved(base, by: -contrast, camera))
        let reached = log2((base.duration?.seconds ?? 1) / (low.duration?.seconds ?? 1))
        let levels = reached > contrast / 2 ? (base, low) : (Self.moved(base, by: contrast, camera), base)
        return DelayCode.levels.map { ControlValues($0 ? levels.0 : levels.1) }
    }

    /// The highest and the lowest gain.
    private var gainCode: [ControlValues]? {
        guard let range = camera.isoRange ?? camera.gainRange, range.upperBound > range.lowerBound else { return nil }
        return DelayCode.levels.map { gainValues($0 ? range.upperBound : range.lowerBound) }
    }

    private mutating func learnExposureDelay(_ experiment: ControlExperiment) -> [Action] {
        guard let delay = DelayCode.delay(experiment) else {
            guard round < Self.mostCodes else {
                phase = .over
                let message = "\(camera.cameraID) \(DelayCode.reason(experiment)), then run: volley-node calibrate"
                return [.write(ControlValues(base)), .failed(CaptureError(.calibrationFailed, message))]
            }
            round += 1
            phase = .exposureDelay(self.experiment(exposureCode))
            return []
        }
        profile.delays = ControlDelays(delay)
        round = 1
        phase = gainCode.map { .gainDelay(self.experiment($0)) } ?? .response(sweep())
        return []
    }

    private mutating func learnGainDelay(_ experiment: ControlExperiment) {
        if let delay = DelayCode.delay(experiment, canInvert: true) {
            profile.delays = ControlDelays(exposureDuration: profile.delays.exposureDuration, gain: delay)
            isGainDelayKnown = true
        } else if round < Self.mostCodes, !DelayCode.isFlat(experiment) {
            round += 1
            phase = .gainDelay(self.experiment(gainCode ?? []))
            return
        }
        round = 1
        phase = .response(sweep())
    }

    // MARK: The response

    /// Exposures half a stop apart, three stops down and three up where the camera has them: going up in whole stops,
    /// and coming down between them, so that light that drifts meanwhile contradicts itself.
    private func sweep() -> ControlExperiment {
        let frame = camera.frameDurationNanoseconds
        let up = stride(from: -3.0, through: 3, by: 1)
        let down = stride(from: 2.5, through: -2.5, by: -1)
        // What contradicted itself may have been longer than the camera can make: then shorter ones will not.
        let longest = log2(Double(frame) / Double(max(1, base.duration?.nanoseconds ?? frame)))
        let centre = min(0, longest) - (round == 2 ? 2 : 0)
        let steps = (Array(up) + Array(down)).map { Self.moved(base, by: $0 + centre, camera) }.filter { exposure in
            (exposure.duration?.nanoseconds ?? 0) <= frame
        }
        let settle = [ControlValues(base)] + Array(repeating: ControlValues(), count: slowest + 1)
        let held = steps.flatMap { [ControlValues($0), ControlValues()] }
        return ControlExperiment(settle + held, tail: profile.delays.longest + 1)
    }

    /// A gain whose delay could not be seen is given as long as any could take.
    private var slowest: Int { isGainDelayKnown || gainCode == nil ? profile.delays.longest : DelayCode.longestDelay }

    private func exposedGrids(_ experiment: ControlExperiment) -> [ExposedGrid] {
        let shots = experiment.lastShots(profile.delays).compactMap { values, shot in
            values.exposureDuration.map { ExposedGrid(grid: shot.grid, ev: log2($0.seconds)) }
        }
        return shots.indices.filter { !isOfAnIgnoredWrite($0, shots) }.map { shots[$0] }
    }

    /// Whether a shot is one of two in a row, and no more, that look alike though their exposures differ: one of them was
    /// not made. With more in a row, ``ResponseFit`` finds out which.
    private func isOfAnIgnoredWrite(_ index: Int, _ shots: [ExposedGrid]) -> Bool {
        /// This shot and the next one.
        func areAlike(_ index: Int) -> Bool {
            guard index >= 0, index + 1 < shots.count, abs(shots[index].ev - shots[index + 1].ev) > 0.25 else {
                return false
            }
            let (one, other) = (shots[index].grid.mean, shots[index + 1].grid.mean)
            return abs(one - other) < Self.alike * max(one, other)
        }
        func isPair(_ index: Int) -> Bool { areAlike(index) && !areAlike(index - 1) && !areAlike(index + 1) }
        return isPair(index) || isPair(index - 1)
    }

    // MARK: The gains

    private mutating func measureNext(_ survey: GainSurvey) -> [Action] {
        var survey = survey
        guard let values = survey.next() else {
            // A gain that changes the picture at an unknown time counts as unknown.
            let evs = survey.points.map(\.ev)
            let isVisible = (evs.max() ?? 0) - (evs.min() ?? 0) > Self.visibleGain
            profile.gains = isVisible && !isGainDelayKnown ? [] : survey.points
            return finish()
        }
        phase = .gains(survey, ControlExperiment([values], tail: slowest + 2))
        return []
    }

    /// What was written, and its picture, if the last two pictures agree; a frame may be late, lost or foreign.
    private func repeated(_ experiment: ControlExperiment) -> (values: ControlValues, grid: LuminanceGrid)? {
        guard let write = experiment.writes.last, let last = experiment.shots.last,
            let before = experiment.shots.dropLast().last, before.frame == last.frame &- 1, let curve = profile.response
        else { return nil }
        guard !(write.after &+ UInt32(slowest)).isAfter(before.frame) else { return nil }
        switch LightChange(from: before.grid, to: last.grid, curve) {
        case .measured(let ev): return abs(ev) <= Self.repeatability ? (write.values, last.grid) : nil
        case .clipped: return (write.values, last.grid)
        case .sceneMoved: return nil
        }
    }

    // MARK: Exposures

    /// A gain with a duration that leaves room above it.
    private func gainValues(_ gain: Double) -> ControlValues {
        var values = ControlValues(Self.moved(base, by: -Self.contrast, camera))
        if camera.isoRange != nil { values.iso = gain } else { values.gain = gain }
        return values
    }

    private static func moved(_ base: Exposure, by ev: Double, _ camera: CameraCapabilities) -> Exposure {
        guard let duration = base.duration, let range = camera.exposureDurationRange else { return Exposure() }
        let wanted = ExposureDuration(seconds: duration.seconds * exp2(ev))
        return Exposure(duration: min(max(wanted, range.lowerBound), range.upperBound))
    }
}

extension ResponseFit.Failure {
    /// In words that follow "the camera has no response curve: ".
    var reason: String {
        switch self {
        case .tooLittleContrast: "the scene that it was learned from shows too few tones"
        case .contradiction: "the scene that it was learned from moved, or its light flickered"
        }
    }
}
