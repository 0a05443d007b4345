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
