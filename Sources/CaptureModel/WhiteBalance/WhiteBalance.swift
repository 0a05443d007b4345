/// The gains of the three colour channels. Apple: `AVCaptureDevice.WhiteBalanceGains`.
public struct WhiteBalanceGains: Hashable, Sendable, Codable {
    /// Above 0; 1 leaves red as the sensor gives it.
    public var red: Double
    /// Above 0; 1 leaves green as the sensor gives it.
    public var green: Double
    /// Above 0; 1 leaves blue as the sensor gives it.
    public var blue: Double

    /// Gains as they are given; see ``normalized``.
    public init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The same colours with the smallest gain at 1: (2, 2, 4) becomes (1, 1, 2). Below 1, a channel would clip later
    /// than the others.
    public var normalized: WhiteBalanceGains {
        let smallest = min(red, green, blue)
        return WhiteBalanceGains(red: red / smallest, green: green / smallest, blue: blue / smallest)
    }

    /// These gains on top of those already in force, normalised.
    public func times(_ current: WhiteBalance?) -> WhiteBalanceGains {
        let former: WhiteBalanceGains
        switch current {
        case .gains(let gains): former = gains
        case .temperatureAndTint(let white): former = WhiteBalanceGains(white.chromaticity)
        case nil: former = WhiteBalanceGains(red: 1, green: 1, blue: 1)
        }
        return WhiteBalanceGains(red: red * former.red, green: green * former.green, blue: blue * former.blue)
            .normalized
    }

    /// The largest of the three.
    public var maximum: Double { max(red, green, blue) }

    /// Whether the three are numbers above zero.
    public var areValid: Bool { [red, green, blue].allSatisfy { $0.isFinite && $0 > 0 } }
}

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

/// A white balance that is set by hand.
public enum WhiteBalance: Hashable, Sendable {
    case gains(WhiteBalanceGains)
    case temperatureAndTint(TemperatureAndTint)
}

extension WhiteBalance {
    /// Whether the numbers make sense: gains above zero, or a temperature and a tint that correspond to a colour.
    public var isPlausible: Bool {
        switch self {
        case .gains(let gains): gains.areValid
        case .temperatureAndTint(let white):
            (1000...25_000).contains(white.temperature) && (-150...150).contains(white.tint)
        }
    }
}

/// As one flat object: red, green and blue, or temperature and tint.
extension WhiteBalance: Codable {
    /// Reads gains or a temperature, whichever is there.
    public init(from decoder: any Decoder) throws {
        if let gains = try? WhiteBalanceGains(from: decoder) {
            self = .gains(gains)
        } else {
            self = .temperatureAndTint(try TemperatureAndTint(from: decoder))
        }
    }

    /// Writes red, green and blue, or temperature and tint.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .gains(let gains): try gains.encode(to: encoder)
        case .temperatureAndTint(let white): try white.encode(to: encoder)
        }
    }
}

/// Which parts of the white balance a camera allows to be set.
public struct WhiteBalanceCapability: Hashable, Sendable, Codable {
    /// Nil where there are no gains to set; the smallest normalised gain is 1.
    public var maxWhiteBalanceGain: Double?
    /// In kelvin; nil where the driver takes no temperature.
    public var temperatureRange: ClosedRange<Double>?
    /// Whether the driver has an automatic white balance.
    public var hasAutomatic: Bool

    /// A capability; what is left out, the camera does not have.
    public init(
        maxWhiteBalanceGain: Double? = nil, temperatureRange: ClosedRange<Double>? = nil, hasAutomatic: Bool = false
    ) {
        self.maxWhiteBalanceGain = maxWhiteBalanceGain
        self.temperatureRange = temperatureRange
        self.hasAutomatic = hasAutomatic
    }

    /// Whether any white balance can be set by hand.
    public var canBeSet: Bool { maxWhiteBalanceGain != nil || temperatureRange != nil }
}

/// How far the autofocus looks. Apple: `AVCaptureDevice.AutoFocusRangeRestriction`.
public enum AutoFocusRangeRestriction: String, Hashable, Sendable, Codable, CaseIterable {
    case none, near, far
}
