import CaptureModel
import Glibc
import PhotoCapture
import SimulatedCamera
import SimulationKit

/// A camera that differs from others in all that a calibration must find out, and loses, delays and replaces frames.
struct ModelCamera {
    enum Tone: CaseIterable {
        case linear, sRGB, bt709, power, sCurve, logarithmic

        /// The signal, 0...1, of light as a share of saturation.
        func signal(_ light: Double, _ power: Double) -> Double {
            let x = min(max(light, 0), 1)
            switch self {
            case .linear: return x
            case .sRGB: return x <= 0.003_130_8 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055
            case .bt709: return x < 0.018 ? 4.5 * x : 1.099 * pow(x, 0.45) - 0.099
            case .power: return pow(x, 1 / power)
            case .sCurve:
                let y = pow(x, 1 / 2.2)
                return y + 0.12 * sin(2 * .pi * (y - 0.5)) * 0.5
            case .logarithmic: return log2(1 + 63 * x) / 6
            }
        }
    }

    enum GainLaw: CaseIterable {
        case none, linear, decibel, percent, stops, inverse, clamped

        var range: ClosedRange<Double>? {
            switch self {
            case .none: nil
            case .linear: 16...511
            case .decibel: 0...240
            case .percent: 0...100
            case .stops, .clamped: 0...255
            case .inverse: 0...232
            }
        }

        /// What a gain multiplies the light with.
        func factor(_ gain: Double) -> Double {
            switch self {
            case .none: 1
            case .linear: gain / 16
            case .decibel: pow(10, gain / 200)
            case .percent: 1 + 7 * gain / 100
            case .stops: exp2(gain / 51)
            case .clamped: exp2(min(gain, 150) / 51)
            case .inverse: 256 / (256 - gain)
            }
        }
    }

    let tone: Tone
    let law: GainLaw
    let delays: ControlDelays
    /// The codes of black and of white.
    let (black, white): (Double, Double)
    let noise: Double
    let power: Double
    /// Exposures beyond are silently not made, in EV above the base.
    let clampEV: Double
    /// The chances of a frame to be lost or foreign, or of a write to land late.
    let (lost, foreign, late): (Double, Double, Double)
    /// One exposure in this many is ignored; 0 for none.
    let ignoredExposures: Int
    let capabilities: CameraCapabilities
    let base: Exposure
    private let scene: [Double]
    private var random: SplitMix64

    init(seed: UInt64) {
        var random = SplitMix64(state: seed)
        func unit() -> Double { Double.random(in: 0..<1, using: &random) }
        tone = Tone.allCases.randomElement(using: &random)!
        law = GainLaw.allCases.randomElement(using: &random)!
        delays = ControlDelays(
            exposureDuration: Int.random(in: 1...6, using: &random), gain: Int.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: (black, white) = (0, 255)
        case 1: (black, white) = (16, 235)
        case 2: (black, white) = (-8, 262)
        default: (black, white) = (6, 220)
        }
        noise = 0.3 + 1.7 * unit()
        power = 1.6 + unit()
        clampEV = unit() < 0.1 ? [1.2, -1.2].randomElement(using: &random)! : 10
        let isFaulty = unit() < 0.7
        (lost, foreign, late) = isFaulty ? (0.03 * unit(), 0.02 * unit(), 0.03 * unit()) : (0, 0, 0)
        // Patches and slopes some stops apart, as in a room; or a white table with dark things on it.
        let tableShare = unit() < 0.25 ? 0.5 + 0.4 * unit() : 0
        let patches = (0..<48).map { _ in
            guard tableShare > 0 else { return -5 + 5.5 * unit() }
            return unit() < tableShare ? -0.3 * unit() : -7 + 2 * unit()
        }
        scene = (0..<LuminanceGrid.columns * LuminanceGrid.rows).map { place in
            let (column, row) = (place % LuminanceGrid.columns, place / LuminanceGrid.columns)
            return exp2(patches[row / 4 * 8 + column / 4] + 0.03 * Double(column % 4 + row % 4))
        }
        var capabilities = CameraCapabilities(
            cameraID: "model:\(seed)", modelID: "Model \(seed)", manufacturer: "", serialNumber: nil,
            pixelFormat: "YUYV", dimensions: Dimensions(width: 320, height: 240),
            frameDurationNanoseconds: 33_333_333, formats: [.jpeg],
            exposureDurationRange: ExposureDuration(nanoseconds: 100_000)...ExposureDuration(nanoseconds: 500_000_000),
            gainRange: law.range, maxBracketedCapturePhotoCount: 16)
        capabilities.exposureDurationStep = ExposureDuration(nanoseconds: 100_000)
        self.capabilities = capabilities
        base = Exposure(
            duration: ExposureDuration(nanoseconds: 100_000 * Int64.random(in: 20...160, using: &random)),
            gain: law.range.map { ($0.lowerBound + 0.2 * ($0.upperBound - $0.lowerBound)).rounded() })
        self.random = random
        // One that also makes no longer ones has a brightest picture that no other one confirms.
        ignoredExposures = seed.isMultiple(of: 10) && clampEV == 10 ? 7 + Int(seed / 10 % 6) : 0
    }

    /// In EV above the base.
    func light(_ exposure: Exposure) -> Double {
        let time = log2((exposure.duration ?? base.duration!).seconds / base.duration!.seconds)
        let factor = law.factor(exposure.gain ?? base.gain ?? 0) / law.factor(base.gain ?? 0)
        return min(time, clampEV) + log2(factor)
    }

    /// What the driver makes of values: it has steps of 100 µs.
    func taken(_ values: ControlValues) -> ControlValues {
        var taken = values
        taken.exposureDuration = values.exposureDuration.map {
            ExposureDuration(nanoseconds: max(100_000, ($0.nanoseconds + 50_000) / 100_000 * 100_000))
        }
        return taken
    }

    func grid(_ exposure: Exposure, noise: Double, using random: inout SplitMix64) -> LuminanceGrid {
        // The base puts the mean of the scene at 18 %.
        let factor = 0.18 * exp2(light(exposure)) / (scene.reduce(0, +) / Double(scene.count))
        let samples = scene.map { light in
            let chance = (0..<4).reduce(0.0) { sum, _ in sum + Double.random(in: -1...1, using: &random) } * 0.87
            let code = black + (white - black) * tone.signal(light * factor, power) + noise * chance
            return Float(min(max(code.rounded(), 0), 255) / 255)
        }
        return LuminanceGrid(samples: samples)
    }

    /// Learns it, as the product does.
    ///
    /// - Returns: the profile or why there is none, and how many frames it took.
    mutating func learn() -> (result: Result<CameraProfile, CaptureError>, frames: Int) {
        var machine = CalibrationMachine(camera: capabilities, base: base)
        var timeline = ControlTimeline(inForce: ControlValues(base))
        var exposureCount = 0
        for number in 0..<UInt32(3000) {
            let values = timeline.advance(to: number)
            if Double.random(in: 0..<1, using: &random) < lost { continue }
            var seen = grid(values.exposure, noise: noise, using: &random)
            if Double.random(in: 0..<1, using: &random) < foreign {
                seen = LuminanceGrid(samples: seen.samples.shuffled(using: &random))
            }
            let info = FrameInfo(
                sequence: number, timestamp: MonotonicTime(nanoseconds: Int64(number) * 33_333_333),
                stamp: .startOfExposure)
            var actions = machine.frame(info, seen)[...]
            while let action = actions.popFirst() {
                switch action {
                case .write(let wanted):
                    let landed = taken(wanted)
                    var trueDelays = delays
                    if Double.random(in: 0..<1, using: &random) < late {
                        trueDelays = ControlDelays(exposureDuration: delays.exposureDuration + 1, gain: delays.gain + 1)
                    }
                    if wanted.exposureDuration != nil { exposureCount += 1 }
                    let isIgnored =
                        wanted.exposureDuration != nil && ignoredExposures > 0
                        && exposureCount.isMultiple(of: ignoredExposures)
                    timeline.wrote(isIgnored ? landed.only(.gain) : landed, after: number, trueDelays)
                    machine.wrote(landed, after: number)
                case .fit(let shots):
                    let result = Result { () throws(ResponseFit.Failure) in try ResponseFit.curve(of: shots) }
                    actions += machine.fitted(result)
                case .finished(let profile): return (.success(profile), Int(number))
                case .failed(let error): return (.failure(error), Int(number))
                }
            }
        }
        return (.failure(CaptureError(.calibrationFailed, "it never ended")), 3000)
    }
}
