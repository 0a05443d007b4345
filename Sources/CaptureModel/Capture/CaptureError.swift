/// What went wrong with a capture or with one of its photos, as a record that travels and is kept.
public struct CaptureError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of failure. Names follow `AVError.Code` where Apple has the case.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The word: one that this program does not know is kept and shown as it came.
        public let rawValue: String

        /// A word that may be new to this program.
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let sessionNotRunning = Code(rawValue: "sessionNotRunning")
        /// The session was given another format while a capture was under way.
        public static let sessionConfigurationChanged = Code(rawValue: "sessionConfigurationChanged")
        public static let noDataCaptured = Code(rawValue: "noDataCaptured")
        public static let diskFull = Code(rawValue: "diskFull")
        public static let deviceWasDisconnected = Code(rawValue: "deviceWasDisconnected")
        public static let deviceInUse = Code(rawValue: "deviceInUse")
        public static let deviceNotConnected = Code(rawValue: "deviceNotConnected")
        public static let operationCancelled = Code(rawValue: "operationCancelled")
        public static let operationNotAllowed = Code(rawValue: "operationNotAllowed")
        public static let encodeFailed = Code(rawValue: "encodeFailed")
        public static let unsupportedSettings = Code(rawValue: "unsupportedSettings")
        /// The frame carries another exposure than the one asked for, and taking it again did not help.
        public static let exposureMismatch = Code(rawValue: "exposureMismatch")
        /// Frames were dropped or broken more often than the capture may take them again.
        public static let frameDropped = Code(rawValue: "frameDropped")
        /// No frame came for longer than a frame can take.
        public static let stalled = Code(rawValue: "stalled")
        /// The order to fire came too late to be met; the message says by how much.
        public static let firedTooLate = Code(rawValue: "firedTooLate")
        /// The node's clock is not known well enough to fire at a given time.
        public static let clockNotSynchronised = Code(rawValue: "clockNotSynchronised")
        /// The nodes cannot begin together as closely as the plan wants.
        public static let spreadTooWide = Code(rawValue: "spreadTooWide")
        /// The node does not answer; set by the coordinator, revised when the node comes back with the photos.
        public static let nodeUnreachable = Code(rawValue: "nodeUnreachable")
        /// A file did not arrive as it was sent.
        public static let transferFailed = Code(rawValue: "transferFailed")
        /// A file could not be written.
        public static let storageFailed = Code(rawValue: "storageFailed")
        /// The driver or a library refused a call; the message has its name and errno.
        public static let deviceFailed = Code(rawValue: "deviceFailed")
        /// The camera could not be learned: how late its controls act, or what its code values mean.
        public static let calibrationFailed = Code(rawValue: "calibrationFailed")
        /// The capture's policy could not be met.
        public static let policyNotMet = Code(rawValue: "policyNotMet")
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
