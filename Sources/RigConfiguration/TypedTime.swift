package import CaptureModel
package import Foundation

/// Instants as people type them: `18:00`, `yesterday`, `-1h`, `2026-11-21T18:00Z`.
///
/// What names no zone is meant in the reader's own, as on the clock on the wall.
package struct TypedTime: Sendable {
    /// Which day a time of day belongs to, and which way a bare span leads.
    package enum Direction: Sendable {
        /// The latest one that has passed: `18:00` in the morning was yesterday's.
        case past
        /// The next one.
        case future
    }

    /// What is understood, for messages.
    package static let examples = "18:00, yesterday, -1h, +10m, 2026-11-21, 2026-11-21T18:00 or 2026-11-21T18:00Z"
    /// The same, where the time is one to come.
    package static let futureExamples = "18:00, tomorrow 9:00, +10m, 2026-11-21T18:00 or 2026-11-21T18:00Z"

    private let now: UTCTime
    private let calendar: Calendar

    /// - Parameter zone: the one that is meant where none is named.
    package init(now: UTCTime, zone: TimeZone = .current) {
        self.now = now
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        self.calendar = calendar
    }

    /// The instant that a text means; nil for a text that means none.
    package func time(_ text: String, _ direction: Direction) -> UTCTime? {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "now" { return now }
        if let span = span(text, direction) { return now + span }
        if let hour = Self.timeOfDay(text[...]) { return time(at: hour, direction) }
        let parts = text.split(separator: #/[T ]/#, maxSplits: 1, omittingEmptySubsequences: false)
        guard let day = parts.first.flatMap(day) else { return nil }
        guard parts.count == 2 else { return instant(day, (0, 0, 0), calendar) }
        let (clock, zone) = Self.zone(parts[1])
        guard let zone, let hour = Self.timeOfDay(clock) else { return nil }
        var calendar = calendar
        if case .named(let zone) = zone { calendar.timeZone = zone }
        return instant(day, hour, calendar)
    }

    // MARK: Pieces

    private typealias Hour = (hour: Int, minute: Int, seconds: Double)

    /// `-1h`, `+500ms`, `2d`; in nanoseconds, positive towards the future.
    private func span(_ text: String, _ direction: Direction) -> Int64? {
        guard let match = text.wholeMatch(of: #/([+-]?)(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d|w)/#),
            let count = Double(match.2)
        else { return nil }
        let units = ["ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        let seconds = count * (units[String(match.3)] ?? 0)
        // A century; more is a slip of the finger.
        guard seconds <= 3.2e9 else { return nil }
        let isPast = match.1 == "-" || match.1.isEmpty && direction == .past
        return Int64((isPast ? -seconds : seconds) * 1e9)
    }

    private static func timeOfDay(_ text: Substring) -> Hour? {
        guard let match = text.wholeMatch(of: #/(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))?/#),
            let hour = Int(match.1), let minute = Int(match.2), let seconds = Double(match.3 ?? "0"),
            hour < 24, minute < 60, seconds < 60
        else { return nil }
        return (hour, minute, seconds)
    }

    private func time(at hour: Hour, _ direction: Direction) -> UTCTime? {
        // The day of the change of clocks may not have the time.
        for shift in direction == .past ? [0, -1] : [0, 1] {
            guard let time = instant(today(plus: shift), hour, calendar) else { continue }
            if direction == .past ? time <= now : time >= now { return time }
        }
        return nil
    }

    private func day(_ text: Substring) -> DateComponents? {
        switch text {
        case "today": return today(plus: 0)
        case "yesterday": return today(plus: -1)
        case "tomorrow": return today(plus: 1)
        case _:
            guard let match = text.wholeMatch(of: #/(\d{4})-(\d{2})-(\d{2})/#) else { return nil }
            return DateComponents(year: Int(match.1), month: Int(match.2), day: Int(match.3))
        }
    }

    private func today(plus days: Int) -> DateComponents {
        let date = Date(timeIntervalSince1970: Double(now.rawValue) / 1e6)
        let day = calendar.date(byAdding: .day, value: days, to: date) ?? date
        return calendar.dateComponents([.year, .month, .day], from: day)
    }

    private enum Zone { case own, named(TimeZone) }

    /// A time of day and its zone; nil for a zone that there is not.
    private static func zone(_ text: Substring) -> (clock: Substring, zone: Zone?) {
        if text.hasSuffix("Z") { return (text.dropLast(), TimeZone(secondsFromGMT: 0).map(Zone.named)) }
        guard let match = text.wholeMatch(of: #/(.+)([+-])(\d{2}):?(\d{2})/#) else { return (text, .own) }
        let (hours, minutes) = (Int(match.3) ?? 99, Int(match.4) ?? 99)
        guard hours <= 14, minutes < 60 else { return (text, nil) }
        let seconds = (match.2 == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
        return (match.1, TimeZone(secondsFromGMT: seconds).map(Zone.named))
    }

    private func instant(_ day: DateComponents, _ hour: Hour, _ calendar: Calendar) -> UTCTime? {
        var parts = day
        (parts.hour, parts.minute, parts.second) = (hour.hour, hour.minute, Int(hour.seconds))
        parts.calendar = calendar
        guard parts.isValidDate(in: calendar), let date = calendar.date(from: parts) else { return nil }
        let fraction = hour.seconds - Double(Int(hour.seconds))
        return UTCTime(rawValue: Int64(date.timeIntervalSince1970) * 1_000_000 + Int64((fraction * 1e6).rounded()))
    }
}
