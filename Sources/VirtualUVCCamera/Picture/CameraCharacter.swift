import CaptureModel
import Glibc
import PhotoEncoding

/// What one camera makes of light, controls and time; others differ.
package struct CameraCharacter: Hashable, Sendable {
    /// The tone curve from light to luma.
    package enum Tone: String, Sendable, CaseIterable {
        case srgb, linear, bt709
        /// The square root of the light, and its 2.6th root.
        case power2 = "power-2"
        case power26 = "power-2.6"
        /// A display's curve with more contrast in its middle.
        case sCurve = "s-curve"

        /// The luma on this curve for the luma of a finished sRGB picture, 0...1.
        func luma(_ srgb: Double) -> Double {
            let light = SRGB.linear(srgb)
            switch self {
            case .srgb: return srgb
            case .linear: return light
            case .bt709: return light < 0.018 ? 4.5 * light : 1.099 * pow(light, 0.45) - 0.099
            case .power2: return light.squareRoot()
            case .power26: return pow(light, 1 / 2.6)
            case .sCurve: return srgb + 0.06 * sin(2 * .pi * (srgb - 0.5))
            }
        }
    }

    /// The byte values of black and white in uncompressed frames.
    package enum Range: String, Sendable, CaseIterable {
        /// 16 to 235, as the colour space that uvcvideo reports implies.
        case limited
        /// 0 to 255, although nothing says so.
        case full
        /// 8 to 248.
        case overshooting

        var codes: ClosedRange<Float> {
            switch self {
            case .limited: 16...235
            case .full: 0...255
            case .overshooting: 8...248
            }
        }
    }

    /// What gains of 0...255 multiply the light by.
    package enum GainLaw: String, Sendable, CaseIterable {
        /// Doubles with every 51 steps.
        case stops
        /// 1 to 8, evenly.
        case linear
        /// 1 / (1 - x), up to 10.
        case inverse
        /// Like `stops`, but flat from 150 on.
        case clamped
        /// No effect.
        case none

        /// What a gain multiplies the light by.
        package func factor(_ gain: Double) -> Double {
            switch self {
            case .stops: exp2(gain / 51)
            case .linear: 1 + 7 * gain / 255
            case .inverse: 1 / (1 - 0.9 * gain / 255)
            case .clamped: exp2(min(gain, 150) / 51)
            case .none: 1
            }
        }
    }

    /// What its payload headers say about time.
    package enum Clock: String, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// PTS is when the exposure began, or ended; SCR is when the header was sent.
        case exposureStart = "exposure-start"
        case exposureEnd = "exposure-end"
        /// Both are present, but PTS stands still.
        case frozen
        /// Both are present, but PTS is whatever was in memory.
        case nonsense
    }

    /// The tone curve from light to luma.
    package var tone = Tone.srgb
    /// The byte values of black and white in uncompressed frames.
    package var range = Range.limited
    /// How its gain values scale the light.
    package var gainLaw = GainLaw.stops
    /// Whether a gain takes effect only together with the next exposure that is written.
    package var latchesGain = false
    /// The longest exposure it really makes, in 100 µs, whatever is requested and reported.
    package var exposureLimit: Int64 = 10_000
    /// One exposure in this many is ignored; 0 for none.
    package var ignoredExposures = 0
    /// What its unit of exposure really is, as a multiple of the 100 µs that the class names.
    package var exposureUnit = 1.0
    /// The units in whose multiples it makes exposures, whatever it says that it set.
    package var exposureStep: Int64 = 1
    /// Whether its automatic exposure goes on while it says that it is off.
    package var keepsMetering = false
    /// One frame in this many is never sent; 0 for none.
    package var lostFrames = 0
    /// Whether exposures end with their frame, as a rolling shutter's do before the readout, rather than begin with it.
    package var exposesLate = false
    /// What its payload headers say about time.
    package var clock = Clock.none
    /// One frame in this many waits for the bus, and so do those behind it; 0 for none.
    package var stalls = 0
    /// How long it waits, in nanoseconds.
    static let stallLength = Int64.milliseconds(250)

    package init() {}
}
