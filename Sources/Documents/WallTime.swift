package import CaptureModel
import FoundationEssentials

/// An instant as documents have it: `2026-11-26T14:09:36.130111Z`, in UTC.
package struct WallTime: Codable, Sendable, Hashable {
    /// The instant.
    package let time: UTCTime

    package init(_ time: UTCTime) { self.time = time }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let match = text.wholeMatch(of: #/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{6})Z/#),
            let date = try? Date("\(match.1)Z", strategy: .iso8601), let micro = Int64(match.2)
        else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no time in UTC") }
        time = UTCTime(rawValue: Int64(date.timeIntervalSince1970) * 1_000_000 + micro)
    }

    package func encode(to encoder: any Encoder) throws {
        let micro = "\(time.subSecond)"
        let padded = String(repeating: "0", count: max(0, 6 - micro.count)) + micro
        var container = encoder.singleValueContainer()
        try container.encode("\(time.day)T\(time.timeOfDay).\(padded)Z")
    }
}
