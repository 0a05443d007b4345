/// How long a sensor gathers light, in whole nanoseconds.
public struct ExposureDuration: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The unit in which durations are requested and reported.
    public let nanoseconds: Int64

    /// The longest that a plan may ask for: an hour.
    public static let longest = ExposureDuration(nanoseconds: 3_600_000_000_000)

    /// A number of nanoseconds.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The duration nearest to a number of seconds.
    public init(seconds: Double) {
        nanoseconds = Int64((seconds * 1e9).rounded())
    }

    /// Reads what a photographer writes: `1/250`, `0.004`, `2`, `4ms`, `250us`. Without a unit it is in seconds.
    ///
    /// Nil for anything else, for zero and for more than an hour.
    public init?(parsing text: some StringProtocol) {
        let trimmed = String(text.filter { !$0.isWhitespace })
        var seconds: Double?
        if let slash = trimmed.firstIndex(of: "/") {
            let denominator = trimmed[trimmed.index(after: slash)...]
            if let top = Double(trimmed[..<slash]), let bottom = Double(Self.stripUnit("s", denominator)) {
                seconds = top / bottom
            }
        } else if trimmed.hasSuffix("ms") {
            seconds = Double(trimmed.dropLast(2)).map { $0 / 1e3 }
        } else if trimmed.hasSuffix("us") {
            seconds = Double(trimmed.dropLast(2)).map { $0 / 1e6 }
        } else {
            seconds = Double(Self.stripUnit("s", trimmed[...]))
        }
        guard let seconds, seconds.isFinite, seconds >= 1e-9, seconds <= Self.longest.seconds else { return nil }
        self.init(seconds: seconds)
    }

    private static func stripUnit(_ unit: String, _ text: Substring) -> Substring {
        text.hasSuffix(unit) ? text.dropLast(unit.count) : text
    }

    /// Reads a number of nanoseconds.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a number of nanoseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// The same in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// `1/250 s` below a quarter of a second, `0.5 s` above.
    public var description: String {
        if seconds >= 0.25 || nanoseconds <= 0 {
            return "\((seconds * 1000).rounded() / 1000) s"
        }
        let denominator = 1 / seconds
        let rounded = denominator >= 10 ? denominator.rounded() : (denominator * 10).rounded() / 10
        return rounded == rounded.rounded() ? "1/\(Int64(clamped: rounded)) s" : "1/\(rounded) s"
    }

    /// Whether one is shorter than the other.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }
}
