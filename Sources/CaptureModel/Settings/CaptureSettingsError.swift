/// Why settings for a capture were refused, before anything was done.
///
/// Where Apple throws `NSInvalidArgumentException` or `NSRangeException`, Volley throws this.
package struct CaptureSettingsError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// What is wrong with the settings.
    package enum Code: String, Hashable, Sendable, Codable {
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

    package let code: Code
    /// One sentence for a person: what is wrong, and what would be right.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
