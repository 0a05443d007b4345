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
