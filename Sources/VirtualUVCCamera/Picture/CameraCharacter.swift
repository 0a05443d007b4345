import CaptureModel
import Glibc
import PhotoEncoding

/// What one camera makes of light, controls and time, where others make something else.
package struct CameraCharacter: Hashable, Sendable {
    /// The luma of light.
    package enum Tone: String, Sendable, CaseIterable {
        case srgb, linear, bt709
        /// The square root of the light, and its 2.6th.
        case power2 = "power-2"
        case power26 = "power-2.6"
        /// A display's curve with more contrast in its middle.
        case sCurve = "s-curve"

        /// Of the luma that a finished picture has, 0...1.
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

    /// The bytes of black and white in uncompressed frames.
    package enum Range: String, Sendable, CaseIterable {
        /// 16 to 235, as uvcvideo's colour space means.
        case limited
        /// 0 to 255, though nothing says so.
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

    /// What gains of 0...255 multiply the light with.
    package enum GainLaw: String, Sendable, CaseIterable {
        /// 51 steps double it.
        case stops
        /// 1 to 8, evenly.
        case linear
        /// 1 / (1 - x), to 10.
        case inverse
        /// As stops, and no more from 150 on.
        case clamped
        /// Nothing.
        case none

        /// What a gain multiplies the light with.
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

    /// What its payload headers say of time.
    package enum Clock: String, Sendable, CaseIterable {
        /// Nothing.
        case none
        /// PTS is when the exposure began, or ended; SCR is when the header was sent.
        case exposureStart = "exposure-start"
        case exposureEnd = "exposure-end"
        /// Both are there, and PTS stands.
        case frozen
        /// Both are there, and PTS is whatever was in memory.
        case nonsense
    }

    package var tone = Tone.srgb
    package var range = Range.limited
    package var gainLaw = GainLaw.stops
    /// A gain is in force when an exposure that was written after it is.
    package var latchesGain = false
    /// The longest exposure that is made, in 100 µs, whatever is asked for and answered.
    package var exposureLimit: Int64 = 10_000
    /// One exposure in this many is ignored; 0 for none.
    package var ignoredExposures = 0
    /// Its exposures end with their frame, as a rolling shutter's do before the readout; else they begin with it.
    package var exposesLate = false
    package var clock = Clock.none
    /// One frame in this many waits for the bus, and those behind it do too; 0 for none.
    package var stalls = 0
    /// For how long, in nanoseconds.
    static let stallLength = Int64.milliseconds(250)

    package init() {}
}
