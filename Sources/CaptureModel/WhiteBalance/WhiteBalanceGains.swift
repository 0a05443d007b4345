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
