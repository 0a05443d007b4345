/// Why settings for a capture were refused, before anything was done.
///
/// Where Apple throws `NSInvalidArgumentException` or `NSRangeException`, Volley throws this.
public struct CaptureSettingsError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// What is wrong with the settings.
    public enum Code: String, Hashable, Sendable, Codable {
        case settingsReused
        case emptyBracket
        case mixedBracket
        case tooManyBracketedPhotos
        case bracketUnsupported
        case exposureDurationOutOfRange
        case isoOutOfRange
        case gainOutOfRange
        case lensPositionOutOfRange
        case whiteBalanceOutOfRange
        case exposureTargetBiasOutOfRange
        case formatUnavailable
        case noFormat
        case noActiveVideoConnection
        case flashUnsupported
        case livePhotoUnsupported
        case qualityPrioritizationTooHigh
        case photoDimensionsUnavailable
        case lensStabilizationUnsupported
    }

    /// For programs to act on.
    public let code: Code
    /// One sentence for a person: what is wrong, and what would be right.
    public let message: String

    /// An error with a sentence for a person.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
