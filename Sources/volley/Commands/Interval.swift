import ArgumentParser
import RigConfiguration

/// Intervals as people write them.
enum Interval {
    /// `500ms`, `2s`, `10m`, `2h`; in nanoseconds.
    static func parse(_ text: String) throws -> Int64 {
        guard let interval = TimeSpan.interval(text) else {
            throw ValidationError("An interval must be \(TimeSpan.wantedInterval), not '\(text)'.")
        }
        return interval
    }
}
