/// What went wrong with a capture or with one of its photos, as a record that travels and is kept.
public struct CaptureError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of failure. Names follow `AVError.Code` where Apple has the case.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        case sessionNotRunning
        /// The session was given another format while a capture was under way.
        case sessionConfigurationChanged
        case noDataCaptured
        case diskFull
        case deviceWasDisconnected
        case deviceInUse
        case deviceNotConnected
        case operationCancelled
        case operationNotAllowed
        case encodeFailed
        case unsupportedSettings
        /// The frame carries another exposure than the one asked for, and taking it again did not help.
        case exposureMismatch
        /// Frames were dropped or broken more often than the capture may take them again.
        case frameDropped
        /// No frame came for longer than a frame can take.
        case stalled
        /// The order to fire came too late to be met; the message says by how much.
        case firedTooLate
        /// The node's clock is not known well enough to fire at a given time.
        case clockNotSynchronised
        /// The nodes cannot begin together as closely as the plan wants.
        case spreadTooWide
        /// The node does not answer; set by the coordinator, revised when the node comes back with the photos.
        case nodeUnreachable
        /// A file did not arrive as it was sent.
        case transferFailed
        /// A file could not be written.
        case storageFailed
        /// The driver or a library refused a call; the message has its name and errno.
        case deviceFailed
        /// The camera could not be learned: how late its controls act, or what its code values mean.
        case calibrationFailed
        /// The capture's policy could not be met.
        case policyNotMet
    }

    /// What a program decides by.
    public let code: Code
    /// One sentence for a person: what happened and what to do.
    public let message: String

    /// An error with a sentence for a person.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { message }
}
