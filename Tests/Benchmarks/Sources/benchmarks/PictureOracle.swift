import CaptureModel
import Glibc
import PhotoCapture
import PhotoEncoding
import SimulatedCamera
import SimulationKit

/// What a frame's picture looks like: a scene of ten stops behind the curve of finished pictures, with noise.
struct PictureOracle {
    private let scene: [Double]
    private var random: SplitMix64

    init(seed: UInt64) {
        var random = SplitMix64(state: seed)
        scene = (0..<LuminanceGrid.columns * LuminanceGrid.rows).map { _ in
            exp2(Double.random(in: -8...2, using: &random))
        }
        self.random = random
    }

    /// A profile that knows the curve.
    static func profile(_ delays: ControlDelays) -> CameraProfile {
        let light = (0..<ResponseCurve.steps).map { step in
            Float(log2(SRGB.linear(max(Double(step), 0.25) / Double(ResponseCurve.steps - 1))))
        }
        return CameraProfile(
            modelID: "oracle", pixelFormat: "GREY", delays: delays, source: .calibrated,
            response: ResponseCurve(source: .calibrated, light: light, usable: 0.06...0.94))
    }

    /// The first exposure shows the middle of the scene in the middle of the range.
    private static let full = light(VirtualSensor.firstExposure) / 0.5

    mutating func grid(_ exposure: Exposure) -> LuminanceGrid {
        let gain = Self.light(exposure) / Self.full
        return LuminanceGrid(
            samples: scene.map { brightness in
                let code = SRGB.encoded(min(brightness * gain, 1)) + Double.random(in: -0.01...0.01, using: &random)
                return Float((min(max(code, 0), 1) * 255).rounded() / 255)
            })
    }

    /// Whether a frame has other light than it says, beyond a third of a stop.
    func isOther(_ exposure: Exposure, _ wanted: Exposure) -> Bool {
        abs(log2(Self.light(exposure) / Self.light(wanted))) > 1.0 / 3
    }

    private static func light(_ exposure: Exposure) -> Double {
        (exposure.duration?.seconds ?? 0) * (exposure.iso ?? 100)
    }
}
