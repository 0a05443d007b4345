import Glibc

/// The tone curve that finished pictures are meant for: IEC 61966-2-1; pure.
package enum SRGB {
    /// The code of a linear brightness, both 0...1.
    package static func encoded(_ linear: Double) -> Double {
        linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
    }

    /// The linear brightness of a code, both 0...1.
    package static func linear(_ code: Double) -> Double {
        code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4)
    }
}
