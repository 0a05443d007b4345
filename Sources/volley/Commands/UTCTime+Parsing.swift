import ArgumentParser
import CaptureModel
import Foundation
import Posix

/// Instants as people write them.
extension UTCTime {
    static var now: UTCTime { UTCTime(rawValue: Clocks.microsecondsSinceEpoch()) }

    /// `+5s` from now, or a time of day in UTC.
    static func parse(_ text: String) throws -> UTCTime {
        if text.hasPrefix("+") {
            guard let ahead = try? Interval.parse(String(text.dropFirst())) else {
                throw ValidationError("A time from now must be +500ms, +5s, +10m or +2h, up to a day, not '\(text)'.")
            }
            return now + ahead
        }
        let formats = [
            "yyyy-MM-dd'T'HH:mm:ss.SSS", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd HH:mm:ss",
        ]
        if let time = parse(text.hasSuffix("Z") ? String(text.dropLast()) : text, formats) { return time }
        throw ValidationError("A time must be +5s or, in UTC, 2026-11-21T18:00:00Z, not '\(text)'.")
    }

    /// Parses a UTC time by the first of these formats that fits; nil if none does.
    static func parse(_ text: String, _ formats: [String]) -> UTCTime? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for format in formats {
            formatter.dateFormat = format
            if let date = formatter.date(from: text) {
                return UTCTime(rawValue: Int64(date.timeIntervalSince1970 * 1e6))
            }
        }
        return nil
    }
}
