import ArgumentParser
import CaptureModel
import Programs
import RigConfiguration

/// Instants as people write them.
extension Instant {
    /// An instant of which people mostly mean one that has passed, as in `--since`.
    static func passed(_ text: String) throws -> Instant { try typed(text, .past) }

    /// An instant that is to come.
    static func coming(_ text: String, now: UTCTime = .now) throws -> Instant { try typed(text, .future, now) }

    /// Where something ends.
    ///
    /// - Parameter since: where it begins, as it was typed: `--since 18:00 --until 20:00` is one evening.
    static func end(_ text: String, since: String?) throws -> Instant {
        let start = try since.flatMap { TypedTime.isTimeOfDay($0) ? try passed($0).time(.now) : nil }
        return try typed(text, .end(after: start))
    }

    private static func typed(
        _ text: String, _ direction: TypedTime.Direction, _ now: UTCTime = .now
    ) throws -> Instant {
        do throws(TypedTime.Problem) {
            return try TypedTime(now: now).instant(text, direction)
        } catch {
            let examples = direction.isFuture ? TypedTime.futureExamples : TypedTime.examples
            throw ValidationError(error.sentence(text, wanted: "A time must be \(examples)"))
        }
    }
}
