/// Why a device refused to be configured. Where Apple raises an exception, Volley throws this.
public struct CaptureDeviceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule was broken.
    public enum Code: String, Hashable, Sendable {
        /// Apple: `NSGenericException`; a property was set without `lockForConfiguration()`.
        case notLocked
        /// Apple: `AVError.Code.deviceLockedForConfigurationByAnotherProcess`.
        case lockedByAnother
        /// Apple: `NSInvalidArgumentException`; the device has no such mode or control.
        case unsupported
        /// Apple: `NSRangeException`.
        case outOfRange
        /// The device is absent, is not running or refused the call.
        case deviceFailed
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
