/// An instant as somebody asks for it: by the clock on the wall, or by a span from now.
///
/// A span stays one until whoever answers counts it, by a clock that nobody sets: the wall clocks of the two may differ.
/// As JSON, microseconds since the Unix epoch, or `{"fromNowNanoseconds": 5000000000}`.
package enum Instant: Hashable, Sendable {
    case at(UTCTime)
    /// In nanoseconds, negative for what has passed.
    case fromNow(Int64)

    /// The longest span, in nanoseconds: a century.
    package static let longestSpan = Int64.seconds(3_200_000_000)

    /// The instant, by the clock of whoever counts it.
    package func time(_ now: UTCTime) -> UTCTime {
        switch self {
        case .at(let time): time
        case .fromNow(let span): now + span
        }
    }

    /// How far it is ahead, in nanoseconds; negative for what has passed.
    package func span(from now: UTCTime) -> Int64 {
        switch self {
        case .at(let time): time - now
        case .fromNow(let span): span
        }
    }
}

extension Instant: Codable {
    private enum Key: String, CodingKey { case fromNowNanoseconds }

    package init(from decoder: any Decoder) throws {
        guard let span = try? decoder.container(keyedBy: Key.self) else {
            self = .at(try UTCTime(from: decoder)); return
        }
        let nanoseconds = try span.decode(Int64.self, forKey: .fromNowNanoseconds)
        guard nanoseconds.magnitude <= Self.longestSpan.magnitude else {
            throw DecodingError.dataCorruptedError(
                forKey: .fromNowNanoseconds, in: span, debugDescription: "A span is a century at most.")
        }
        self = .fromNow(nanoseconds)
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .at(let time): try time.encode(to: encoder)
        case .fromNow(let span):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(span, forKey: .fromNowNanoseconds)
        }
    }
}
