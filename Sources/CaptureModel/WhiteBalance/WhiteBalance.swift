/// The gains of the three colour channels. Apple: `AVCaptureDevice.WhiteBalanceGains`.
package struct WhiteBalanceGains: Hashable, Sendable, Codable {
    package var red: Double
    package var green: Double
    package var blue: Double

    package init(red: Double, green: Double, blue: Double) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The same colours with the smallest gain at 1: (2, 2, 4) becomes (1, 1, 2). Below 1 a channel would clip late.
    package var normalized: WhiteBalanceGains {
        let smallest = min(red, green, blue)
        return WhiteBalanceGains(red: red / smallest, green: green / smallest, blue: blue / smallest)
    }

    /// These on top of those that are in force already, normalised.
    package func times(_ current: WhiteBalance?) -> WhiteBalanceGains {
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
    package var maximum: Double { max(red, green, blue) }

    /// Whether the three are numbers above zero.
    package var areValid: Bool { [red, green, blue].allSatisfy { $0.isFinite && $0 > 0 } }
}

/// A white point by its correlated colour temperature and its distance from the Planckian locus.
///
/// Apple: `AVCaptureDevice.WhiteBalanceTemperatureAndTintValues`.
package struct TemperatureAndTint: Hashable, Sendable, Codable {
    /// In kelvin.
    package var temperature: Double
    /// -150 to 150: where the white point lies from the Planckian locus, positive towards green, as Apple has it; 1 is
    /// 1/3000 in the CIE 1960 diagram, as in Adobe's DNG SDK (`dng_temperature`), whose sign it shares.
    package var tint: Double

    package init(temperature: Double, tint: Double = 0) {
        (self.temperature, self.tint) = (temperature, tint)
    }

    /// Light that has a name. Apple: `AVCaptureDevice.WhiteBalanceTemperatureAndTintValues` presets.
    package static let tungsten = TemperatureAndTint(temperature: 3200)
    package static let fluorescent = TemperatureAndTint(temperature: 4000)
    package static let daylight = TemperatureAndTint(temperature: 5500)
    package static let cloudy = TemperatureAndTint(temperature: 6500)
    package static let shadow = TemperatureAndTint(temperature: 7500)
}

/// A white balance that is set by hand.
package enum WhiteBalance: Hashable, Sendable {
    case gains(WhiteBalanceGains)
    case temperatureAndTint(TemperatureAndTint)
}

extension WhiteBalance {
    /// Whether the numbers can be meant: gains above zero, a temperature and a tint that have a colour.
    package var isPlausible: Bool {
        switch self {
        case .gains(let gains): gains.areValid
        case .temperatureAndTint(let white):
            (1000...25_000).contains(white.temperature) && (-150...150).contains(white.tint)
        }
    }
}

/// As one flat object: red, green and blue, or temperature and tint.
extension WhiteBalance: Codable {
    package init(from decoder: any Decoder) throws {
        if let gains = try? WhiteBalanceGains(from: decoder) {
            self = .gains(gains)
        } else {
            self = .temperatureAndTint(try TemperatureAndTint(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .gains(let gains): try gains.encode(to: encoder)
        case .temperatureAndTint(let white): try white.encode(to: encoder)
        }
    }
}

/// What of the white balance a camera lets be set.
package struct WhiteBalanceCapability: Hashable, Sendable, Codable {
    /// Nil where there are no gains to set; 1 is the least of a normalised gain.
    package var maxWhiteBalanceGain: Double?
    /// In kelvin, where the driver is told a temperature.
    package var temperatureRange: ClosedRange<Double>?
    /// Whether the driver has an automatic.
    package var hasAutomatic: Bool

    package init(
        maxWhiteBalanceGain: Double? = nil, temperatureRange: ClosedRange<Double>? = nil, hasAutomatic: Bool = false
    ) {
        self.maxWhiteBalanceGain = maxWhiteBalanceGain
        self.temperatureRange = temperatureRange
        self.hasAutomatic = hasAutomatic
    }

    /// Whether any white balance can be set by hand.
    package var canBeSet: Bool { maxWhiteBalanceGain != nil || temperatureRange != nil }
}

/// How far the autofocus looks. Apple: `AVCaptureDevice.AutoFocusRangeRestriction`.
package enum AutoFocusRangeRestriction: String, Hashable, Sendable, Codable, CaseIterable {
    case none, near, far
}
