package import CaptureModel
import Glibc

/// Learns a camera: the delay of each control, what its gain is worth, and its response curve; pure.
///
/// ```
/// durationDelay --> gainWorth --> gainDelay --> response --> finished
///       |  (no gain control: straight to response)
///       +-- no delay explains what was seen --> failed
/// ```
///
/// A delay is found by writing a code of two exposures, one a frame, and looking at which shift the pictures repeat
/// it: the code repeats itself at no other shift. All of it takes some four seconds at 30 frames a second.
package struct CalibrationMachine: Sendable {
    /// What the owner does, in order.
    package enum Action: Hashable, Sendable {
        case write(ControlValues)
        /// All but the response curve, which is ``ResponseCurve/fitted(to:)`` the shots: not on the camera's thread.
        case finished(CameraProfile, [ExposedGrid])
        case failed(CaptureError)
    }

    private enum Phase {
        case durationDelay(ControlExperiment)
        case gainWorth(ControlExperiment)
        case gainDelay(ControlExperiment, low: CameraProfile.GainPoint, high: CameraProfile.GainPoint)
        case response(ControlExperiment)
        case over
    }

    /// A maximal-length sequence (x^4 + x + 1): like noise to every shift of itself.
    private static let code: [Bool] = [1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0].map { $0 == 1 }
    /// Between the two exposures of the code, in EV.
    private static let contrast = 1.5
    /// The longest delay that is looked for, in frames.
    private static let longestDelay = 10
    /// Frames for which a gain is held: a gain is seldom slower than the exposure by two frames.
    private var hold: Int { profile.delays.exposureDuration + 3 }

    private let camera: CameraCapabilities
    private let base: Exposure
    private var phase: Phase
    private var profile: CameraProfile

    /// - Parameter base: an exposure that is in force and shows the scene well.
    package init(camera: CameraCapabilities, base: Exposure) {
        self.camera = camera
        self.base = base
        profile = CameraProfile(
            modelID: camera.modelID, pixelFormat: camera.pixelFormat,
            delays: camera.controlDelays ?? ControlDelays(Self.longestDelay), source: .calibrated, response: nil)
        let low = Self.moved(base, by: -Self.contrast, camera)
        let high = Exposure(duration: base.duration)
        phase = .durationDelay(ControlExperiment(Self.code.map { ControlValues($0 ? low : high) }))
    }

    /// A frame has arrived.
    package mutating func frame(_ info: FrameInfo, _ grid: LuminanceGrid?) -> [Action] {
        switch phase {
        case .durationDelay(var experiment):
            let actions = run(&experiment, info, grid)
            phase = .durationDelay(experiment)
            return actions + (experiment.isDone ? learnDurationDelay(experiment) : [])
        case .gainWorth(var experiment):
            let actions = run(&experiment, info, grid)
            phase = .gainWorth(experiment)
            if experiment.isDone { learnGainWorth(experiment) }
            return actions
        case .gainDelay(var experiment, let low, let high):
            let actions = run(&experiment, info, grid)
            phase = .gainDelay(experiment, low: low, high: high)
            if experiment.isDone { learnGainDelay(experiment, low, high) }
            return actions
        case .response(var experiment):
            let actions = run(&experiment, info, grid)
            phase = .response(experiment)
            return actions + (experiment.isDone ? learnResponse(experiment) : [])
        case .over:
            return []
        }
    }

    /// What was just to be written has been, once this frame had arrived.
    package mutating func wrote(after frame: UInt32) {
        switch phase {
        case .durationDelay(var experiment):
            experiment.wrote(after: frame)
            phase = .durationDelay(experiment)
        case .gainWorth(var experiment):
            experiment.wrote(after: frame)
            phase = .gainWorth(experiment)
        case .gainDelay(var experiment, let low, let high):
            experiment.wrote(after: frame)
            phase = .gainDelay(experiment, low: low, high: high)
        case .response(var experiment):
            experiment.wrote(after: frame)
            phase = .response(experiment)
        case .over: break
        }
    }

    private func run(_ experiment: inout ControlExperiment, _ info: FrameInfo, _ grid: LuminanceGrid?) -> [Action] {
        experiment.frame(info, grid).map { [.write($0)] } ?? []
    }

    // MARK: The delays

    private mutating func learnDurationDelay(_ experiment: ControlExperiment) -> [Action] {
        let candidates = (1...Self.longestDelay).map { ControlDelays($0) }
        let found = delays(experiment, from: ControlValues(base), among: candidates) { exposure in
            log2((exposure.duration?.seconds ?? 1) / (base.duration?.seconds ?? 1))
        }
        guard let found else {
            phase = .over
            let message = """
                \(camera.cameraID): its exposure does not follow what is written after a constant number of frames, \
                or the picture is too dark or too bright to tell; light the scene, then run: volley-node calibrate
                """
            return [.failed(CaptureError(.calibrationFailed, message))]
        }
        profile.delays = found
        let gains = gainSteps
        let values = (gains + gains.prefix(1)).map(gainValues)
        phase = gains.count > 1 ? .gainWorth(ControlExperiment(holding: values, frames: hold)) : .response(sweep())
        return []
    }

    private mutating func learnGainWorth(_ experiment: ControlExperiment) {
        let shots = experiment.settledShots.dropLast()
        var points: [CameraProfile.GainPoint] = []
        for (values, grid) in shots {
            guard let gain = values.gain ?? values.iso, let first = shots.first,
                case .measured(let ev) = LightChange(from: first.grid, to: grid, .assumed)
            else { continue }
            points.append(CameraProfile.GainPoint(gain: gain, ev: max(ev, points.last?.ev ?? 0)))
        }
        if camera.isoRange == nil { profile.gains = points }
        // The gain whose effect is nearest to the contrast of the code, if any has one.
        let high = points.min { abs($0.ev - Self.contrast) < abs($1.ev - Self.contrast) }
        guard let high, let low = points.first, high.ev > 0.5 else {
            phase = .response(sweep())
            return
        }
        let script = Self.code.map { gainValues($0 ? high.gain : low.gain) }
        phase = .gainDelay(ControlExperiment(script), low: low, high: high)
    }

    private mutating func learnGainDelay(
        _ experiment: ControlExperiment, _ low: CameraProfile.GainPoint, _ high: CameraProfile.GainPoint
    ) {
        let candidates = (1...Self.longestDelay).map {
            ControlDelays(exposureDuration: profile.delays.exposureDuration, gain: $0)
        }
        let found = delays(experiment, from: gainValues(low.gain), among: candidates) { exposure in
            (exposure.iso ?? exposure.gain) == high.gain ? high.ev : low.ev
        }
        if let found { profile.delays = found }
        phase = .response(sweep())
    }

    /// - Parameter light: of an exposure, above that of the first shot, in EV.
    private func delays(
        _ experiment: ControlExperiment, from initial: ControlValues, among candidates: [ControlDelays],
        _ light: (Exposure) -> Double
    ) -> ControlDelays? {
        // The first shot came with the first write, and shows what was before it.
        guard let reference = experiment.shots.first else { return nil }
        var evidence = DelayEvidence(initial: initial)
        for write in experiment.writes { evidence.wrote(write.values, after: write.after) }
        for shot in experiment.shots {
            if case .measured(let ev) = LightChange(from: reference.grid, to: shot.grid, .assumed) {
                evidence.observed(shot.frame, light: ev)
            }
        }
        let found = evidence.delays(among: candidates, tolerance: Self.contrast / 2, light: light)
        return found.flatMap { $0.isUnique ? $0.delays : nil }
    }

    // MARK: The response

    private mutating func learnResponse(_ experiment: ControlExperiment) -> [Action] {
        var timeline = ControlTimeline(inForce: ControlValues(base))
        for write in experiment.writes { timeline.wrote(write.values, after: write.after, profile.delays) }
        let start = experiment.writes.first.map { $0.after &+ UInt32(profile.delays.longest) } ?? 0
        let shots = experiment.shots.filter { !start.isAfter($0.frame) }.compactMap { shot in
            timeline.advance(to: shot.frame).exposureDuration.map { ExposedGrid(grid: shot.grid, ev: log2($0.seconds)) }
        }
        phase = .over
        return [.write(ControlValues(base)), .finished(profile, shots)]
    }

    /// Exposures half a stop apart, three stops down and three up where the camera has them, twice.
    private func sweep() -> ControlExperiment {
        let frame = camera.frameDurationNanoseconds
        let steps = (-6...6).map { Self.moved(base, by: Double($0) / 2, camera) }.filter { exposure in
            (exposure.duration?.nanoseconds ?? 0) <= frame
        }
        let values = steps.map { ControlValues($0) }
        let settle = [ControlValues(base)] + Array(repeating: ControlValues(), count: hold)
        return ControlExperiment(settle + values + values.reversed(), tail: profile.delays.longest + 1)
    }

    // MARK: Exposures

    /// Five gains from the lowest to the highest; fewer where the range is short.
    private var gainSteps: [Double] {
        guard let range = camera.isoRange ?? camera.gainRange, range.upperBound > range.lowerBound else { return [] }
        return (0...4).map {
            (range.lowerBound + (range.upperBound - range.lowerBound) * Double($0) / 4).rounded()
        }
    }

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
