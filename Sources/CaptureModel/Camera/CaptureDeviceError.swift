/// Why a device refused to be configured. Where Apple raises an exception, Volley throws this.
package struct CaptureDeviceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which rule was broken.
    package enum Code: String, Hashable, Sendable {
        /// Apple: `NSGenericException`; a property was set without `lockForConfiguration()`.
        case notLocked
        /// Apple: `AVError.Code.deviceLockedForConfigurationByAnotherProcess`.
        case lockedByAnother
        /// Apple: `NSInvalidArgumentException`; the device has no such mode or control.
        case unsupported
        /// Apple: `NSRangeException`.
        case outOfRange
        /// The device is not there, does not run or refused the call.
        case deviceFailed
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
