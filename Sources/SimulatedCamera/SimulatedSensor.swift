package import CaptureModel
import Glibc
package import PhotoCapture
package import PhotoEncoding
import SimulationKit

/// A sensor with physics: photons accumulate in proportion to time, noise follows them, gain lifts both, wells clip.
package struct SimulatedSensor: Sendable {
    static let blackLevel: Float = 64
    /// 12 bits.
    static let whiteLevel: Float = 4095
    static let baseISO = 100.0
    /// Electrons that fill a pixel's well at base ISO.
    private static let fullWell: Float = 15_000
    /// Electrons of noise in an unlit pixel.
    private static let readNoise: Float = 3
    /// The lens position at which the scene is sharp.
    private static let sharpest = 0.5
    /// Seconds in which brightness 1 fills the well at base ISO; this makes 1/125 s right for the scene.
    private static let secondsToFullWell: Float = 0.013
    /// The share of red, green and blue light that the pixels catch.
    static let neutral: [Double] = [0.55, 1, 0.65]

    let dimensions: Dimensions
    private let radiance: [Vector]
    private let noise: [Float]

    /// - Parameter seed: chooses the place from which it looks at the scene.
    package init(seed: UInt64, dimensions: Dimensions) {
        var configuration = SimulatedCameraConfiguration(seed: seed)
        configuration.dimensions = dimensions
        self.init(configuration)
    }

    init(_ configuration: SimulatedCameraConfiguration) {
        dimensions = configuration.dimensions
        radiance = configuration.radiance
        noise = Self.gaussianTable(seed: configuration.seed)
    }

    /// The brightness of a frame's finished picture at the points of the grid, noise included.
    package func luminanceGrid(_ values: ControlValues, frame: UInt32) -> LuminanceGrid {
        let light = LightSource(values)
        return LuminanceGrid(width: dimensions.width, height: dimensions.height) { column, row in
            Self.luma(colour(at: row * dimensions.width + column, light, frame)) / 255
        }
    }

    /// The samples of a frame, RGGB.
    func raw(_ exposure: Exposure, frame: UInt32) -> BayerImage {
        let signal = Self.signalPerBrightness(exposure)
        let gain = Float((exposure.iso ?? Self.baseISO) / Self.baseISO)
        let catches = Self.neutral.map { Float($0) }
        var samples = [UInt16](repeating: 0, count: radiance.count)
        for row in 0..<dimensions.height {
            for column in 0..<dimensions.width {
                let index = row * dimensions.width + column
                // Red on even rows and columns, blue on odd ones, green between.
                let channel = (row & 1) + (column & 1)
                let level = radiance[index][channel] * catches[channel] * signal
                let noisy = level + noiseShare(level, gain, index, frame)
                let value = Self.blackLevel + noisy * (Self.whiteLevel - Self.blackLevel)
                samples[index] = UInt16(min(max(value.rounded(), 0), Self.whiteLevel))
            }
        }
        return BayerImage(
            dimensions: dimensions, pattern: .rggb, blackLevel: UInt16(Self.blackLevel),
            whiteLevel: UInt16(Self.whiteLevel), neutral: Self.neutral, samples: samples)
    }

    /// The finished picture of a frame: noise, clipping, sRGB curve, planar 4:2:0.
    package func picture(_ values: ControlValues, frame: UInt32) -> YUVImage {
        let source = LightSource(values)
        let (width, height) = (dimensions.width, dimensions.height)
        var luma = [UInt8](repeating: 0, count: width * height)
        var blue = [Float](repeating: 0, count: (width + 1) / 2 * ((height + 1) / 2))
        var red = blue
        for row in 0..<height {
            for column in 0..<width {
                let index = row * width + column
                let colour = colour(at: index, source, frame)
                luma[index] = UInt8(min(max(Self.luma(colour) + 0.5, 0), 255))
                // JFIF 1.02, section 3: full-range BT.601.
                let thin = row / 2 * ((width + 1) / 2) + column / 2
                blue[thin] += -0.168_736 * colour.x - 0.331_264 * colour.y + 0.5 * colour.z
                red[thin] += 0.5 * colour.x - 0.418_688 * colour.y - 0.081_312 * colour.z
            }
        }
        // The scene is in focus with the lens halfway; away from there it blurs.
        let reach = Int((abs((values.lensPosition ?? Self.sharpest) - Self.sharpest) * 24).rounded())
        luma = Blur.box(luma, width: width, height: height, reach: reach)
        let planes = [luma, Self.chroma(blue), Self.chroma(red)]
        return YUVImage(dimensions: dimensions, subsampling: .yuv420, planes: planes)
    }

    /// What turns the scene's brightness into a signal.
    private struct LightSource {
        let signal: Float
        let gain: Float
        let balance: Vector
        /// A copy: access to a global checks at every pixel whether it is initialised.
        private let curve = SimulatedSensor.curve

        init(_ values: ControlValues) {
            signal = signalPerBrightness(values.exposure)
            gain = Float((values.iso ?? baseISO) / baseISO)
            let gains =
                switch values.whiteBalance {
                case .gains(let gains): gains
                case .temperatureAndTint(let white): WhiteBalanceGains(white.chromaticity)
                case nil: WhiteBalanceGains(red: 1, green: 1, blue: 1)
                }
            balance = Vector(Float(gains.red), Float(gains.green), Float(gains.blue))
        }

        /// A linear value on the curve of finished pictures, 0...255.
        func encoded(_ linear: Float) -> Float {
            curve[Int(min(max(linear, 0), 1) * 4095)]
        }
    }

    /// Red, green and blue of a pixel of the finished picture, 0...255.
    private func colour(at index: Int, _ source: LightSource, _ frame: UInt32) -> Vector {
        let light = radiance[index] * source.signal
        let grain = noiseShare(light.y, source.gain, index, frame)
        let balanced = (light + Vector(repeating: grain)) * source.balance
        return Vector(source.encoded(balanced.x), source.encoded(balanced.y), source.encoded(balanced.z))
    }

    private static func luma(_ colour: Vector) -> Float {
        0.299 * colour.x + 0.587 * colour.y + 0.114 * colour.z
    }

    /// The means of four chroma samples, centred on 128.
    private static func chroma(_ sums: [Float]) -> [UInt8] {
        sums.map { UInt8(min(max($0 / 4 + 128.5, 0), 255)) }
    }

    private static func signalPerBrightness(_ exposure: Exposure) -> Float {
        let seconds = Float(exposure.duration?.seconds ?? 0)
        return seconds / secondsToFullWell * Float((exposure.iso ?? baseISO) / baseISO)
    }

    /// Shot and read noise of a pixel, as a share of saturation.
    private func noiseShare(_ level: Float, _ gain: Float, _ index: Int, _ frame: UInt32) -> Float {
        let electrons = max(0, level) * Self.fullWell / gain
        let sigma = (electrons + Self.readNoise * Self.readNoise).squareRoot()
        var hash = UInt32(truncatingIfNeeded: index) &* 0x9E37_79B1 ^ frame &* 0x85EB_CA6B
        hash = (hash ^ hash >> 15) &* 0xC2B2_AE35
        return noise[Int(hash >> 18)] * sigma * gain / Self.fullWell
    }

    private static let curve: [Float] = (0..<4096).map { step in
        Float(255 * SRGB.encoded(Double(step) / 4095))
    }

    private static func gaussianTable(seed: UInt64) -> [Float] {
        var random = SplitMix64(state: seed)
        return (0..<16_384).map { _ in
            // Box and Muller.
            let radius = (-2 * log(Float.random(in: Float.ulpOfOne...1, using: &random))).squareRoot()
            return radius * cos(2 * .pi * Float.random(in: 0..<1, using: &random))
        }
    }
}
