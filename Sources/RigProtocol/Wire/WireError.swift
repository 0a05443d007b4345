/// What is wrong with a message from outside.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is.
    package enum Code: String, Hashable, Sendable {
        case malformed
        case versionMismatch
        case unknownType
        /// It came faster than messages could be read.
        case overrun
    }

    /// For programs to act on.
    package let code: Code
    /// One sentence for a person, which may quote the sender.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
