import ArgumentParser
import CaptureModel
import Programs
import RigConfiguration

/// Instants as people write them.
extension UTCTime {
    /// An instant of which people mostly mean one that has passed, as in `--since`.
    static func passed(_ text: String) throws -> UTCTime { try typed(text, .past) }

    /// An instant that is to come.
    static func coming(_ text: String) throws -> UTCTime { try typed(text, .future) }

    private static func typed(_ text: String, _ direction: TypedTime.Direction) throws -> UTCTime {
        guard let time = TypedTime(now: now).time(text, direction) else {
            throw ValidationError("A time must be \(TypedTime.examples), not '\(text)'.")
        }
        return time
    }
}
