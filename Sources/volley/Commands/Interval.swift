import ArgumentParser
import CaptureModel

/// Intervals as people write them.
enum Interval {
    /// `500ms`, `2s`, `10m`, `2h`; in nanoseconds.
    static func parse(_ text: String) throws -> Int64 {
        for (unit, seconds) in [("m", 60), ("h", 3600)] where text.hasSuffix(unit) {
            // Nothing waits longer than a day.
            if let count = Int(text.dropLast()), (1...86_400 / seconds).contains(count) {
                return .seconds(Int64(count * seconds))
            }
        }
        guard let time = ExposureDuration(parsing: text) else {
            throw ValidationError("An interval must be 500ms, 2s, 10m or 2h, up to a day, not '\(text)'.")
        }
        return time.nanoseconds
    }
}
