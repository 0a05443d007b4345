/// A white point by its correlated colour temperature and its distance from the Planckian locus.
///
/// Apple: `AVCaptureDevice.WhiteBalanceTemperatureAndTintValues`.
public struct TemperatureAndTint: Hashable, Sendable, Codable {
    /// In kelvin.
    public var temperature: Double
    /// -150 to 150: how far the white point lies from the Planckian locus, positive towards green, as in Apple's API; 1
    /// is 1/3000 in the CIE 1960 diagram, as in Adobe's DNG SDK (`dng_temperature`), whose sign it shares.
    public var tint: Double

    /// A white point.
    public init(temperature: Double, tint: Double = 0) {
        (self.temperature, self.tint) = (temperature, tint)
    }

    /// Incandescent lamps. Apple: `AVCaptureDevice.WhiteBalanceTemperatureAndTintValues` presets, as the next four.
    public static let tungsten = TemperatureAndTint(temperature: 3200)
    /// Cool white lamps.
    public static let fluorescent = TemperatureAndTint(temperature: 4000)
    /// Direct sun at noon.
    public static let daylight = TemperatureAndTint(temperature: 5500)
    /// An overcast sky.
    public static let cloudy = TemperatureAndTint(temperature: 6500)
    /// Open shade under a blue sky.
    public static let shadow = TemperatureAndTint(temperature: 7500)
}
