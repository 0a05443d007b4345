/// What went wrong with a capture or one of its photos: a record that is sent and stored.
public struct CaptureError: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The kind of failure. Names follow `AVError.Code` where Apple has the case.
    public struct Code: RawRepresentable, Hashable, Sendable, Codable {
        /// The word; one that this release does not know is kept and shown as it came.
        public let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        public init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// The capture session was stopped, or never started.
        public static let sessionNotRunning = Code(rawValue: "sessionNotRunning")
        /// The session was given another format while a capture was under way.
        public static let sessionConfigurationChanged = Code(rawValue: "sessionConfigurationChanged")
        /// The camera delivered nothing that could become a photo.
        public static let noDataCaptured = Code(rawValue: "noDataCaptured")
        /// There is no room for the photos.
        public static let diskFull = Code(rawValue: "diskFull")
        /// The camera was unplugged.
        public static let deviceWasDisconnected = Code(rawValue: "deviceWasDisconnected")
        /// Another program is using the camera.
        public static let deviceInUse = Code(rawValue: "deviceInUse")
        /// The camera is not there.
        public static let deviceNotConnected = Code(rawValue: "deviceNotConnected")
        /// Somebody cancelled the capture, or stopped the program in the middle of it.
        public static let operationCancelled = Code(rawValue: "operationCancelled")
        /// It cannot be done now; the message says what is in the way.
        public static let operationNotAllowed = Code(rawValue: "operationNotAllowed")
        /// A picture could not be turned into a file.
        public static let encodeFailed = Code(rawValue: "encodeFailed")
        /// The camera cannot do what was asked; the message names the setting.
        public static let unsupportedSettings = Code(rawValue: "unsupportedSettings")
        /// The frame carries a different exposure from the one requested, and retaking it did not help.
        public static let exposureMismatch = Code(rawValue: "exposureMismatch")
        /// Frames were dropped or broken more often than the capture may retake them.
        public static let frameDropped = Code(rawValue: "frameDropped")
        /// No frame came for longer than any frame can take.
        public static let stalled = Code(rawValue: "stalled")
        /// The order to fire came too late to be met; the message says by how much.
        public static let firedTooLate = Code(rawValue: "firedTooLate")
        /// The node's clock is not known well enough to fire at a given time.
        public static let clockNotSynchronised = Code(rawValue: "clockNotSynchronised")
        /// The nodes cannot begin as close together as the plan demands.
        public static let spreadTooWide = Code(rawValue: "spreadTooWide")
        /// The node does not answer; set by the coordinator, revised when the node comes back with the photos.
        public static let nodeUnreachable = Code(rawValue: "nodeUnreachable")
        /// A file did not arrive as it was sent.
        public static let transferFailed = Code(rawValue: "transferFailed")
        /// Its capture was deleted before it came.
        public static let captureDeleted = Code(rawValue: "captureDeleted")
        /// A file could not be written.
        public static let storageFailed = Code(rawValue: "storageFailed")
        /// The driver or a library refused a call; the message has its name and errno.
        public static let deviceFailed = Code(rawValue: "deviceFailed")
        /// Calibration could not establish the camera's control delays, or what its code values mean.
        public static let calibrationFailed = Code(rawValue: "calibrationFailed")
        /// The capture's policy could not be met.
        public static let policyNotMet = Code(rawValue: "policyNotMet")
    }

    /// For programs to act on.
    public let code: Code
    /// One sentence for a person: what happened and what to do.
    public let message: String

    /// The most characters of a sentence that are kept.
    static let longestMessage = 1000

    /// An error with a sentence for a person, of which the first 1,000 characters are kept.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message.utf8.count > Self.longestMessage ? String(message.prefix(Self.longestMessage)) : message
    }

    /// Takes as much of a sentence as it may have, whoever sent it.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try values.decode(Code.self, forKey: .code), try values.decode(String.self, forKey: .message))
    }

    /// The sentence.
    public var description: String { message }
}
