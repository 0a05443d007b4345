/// Which instant a frame's timestamp marks.
public struct TimestampSource: RawRepresentable, Hashable, Sendable, Codable {
    /// The word; one that this release does not know is kept and shown as it came.
    public let rawValue: String

    /// Takes the first 64 characters of a word, which may be new to this release.
    public init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_SOE`, from a driver that can see that instant.
    public static let startOfExposure = TimestampSource(rawValue: "startOfExposure")
    /// V4L2: `V4L2_BUF_FLAG_TSTAMP_SRC_EOF`.
    public static let endOfFrame = TimestampSource(rawValue: "endOfFrame")
    /// The arrival of the frame's first bytes: from a driver that knows no more, whatever it claims.
    public static let arrival = TimestampSource(rawValue: "arrival")
    /// The camera's own clock (UVC: PTS and SCR), whose configuration says what it stamps.
    public static let deviceClock = TimestampSource(rawValue: "deviceClock")
}
