import Glibc
import PhotoEncoding

/// What light a code value stands for, relative and in EV; the inverse of a camera's tone curve.
package struct ResponseCurve: Hashable, Sendable, Codable {
    /// How well the curve is known.
    package enum Source: String, Hashable, Sendable, Codable {
        /// Measured on this camera model.
        case calibrated
        /// The curve that pictures are meant for; cameras bend it. Good enough to meter by, not to verify.
        case assumed
    }

    /// The number of code values that the curve is given at.
    package static let steps = 256

    /// Measured or assumed.
    package let source: Source
    /// log2 of the light of each code value; rises.
    private let light: [Float]
    /// The code values, 0...1, at which light can be read: above the noise, below the clipping.
    package let usable: ClosedRange<Float>

    /// - Parameter light: log2 of the light of code value i / 255; `ResponseCurve.steps` values that do not fall.
    package init(source: Source, light: [Float], usable: ClosedRange<Float>) {
        precondition(light.count == Self.steps, "a response curve has \(Self.steps) values")
        self.source = source
        self.light = light
        self.usable = usable
    }

    /// Whether it has a value for each code, and none falls.
    var isValid: Bool {
        light.count == Self.steps && zip(light, light.dropFirst()).allSatisfy { $0 <= $1 }
    }

    /// sRGB's tone curve, for a camera that has not been calibrated.
    package static let assumed = ResponseCurve(
        source: .assumed,
        light: (0..<steps).map { step in
            Float(log2(SRGB.linear(max(Double(step), 0.25) / Double(steps - 1))))
        }, usable: 0.06...0.94)

    /// log2 of the light behind a code value, relative to that of code value 1.
    package func logLight(_ code: Float) -> Float {
        let place = min(max(code, 0), 1) * Float(Self.steps - 1)
        let below = min(Int(place), Self.steps - 2)
        let share = place - Float(below)
        return light[below] * (1 - share) + light[below + 1] * share
    }

    /// The light behind a code value, as a share of that whose logarithm is given.
    func light(_ code: Float, above zero: Float) -> Float {
        exp2(logLight(code) - zero)
    }

    /// How many EV a step of the code value is worth there: the noise of a reading follows it.
    package func slope(_ code: Float) -> Float {
        let step = 1 / Float(Self.steps - 1)
        return max(0.001, (logLight(code + step) - logLight(code - step)) / 2)
    }
}
