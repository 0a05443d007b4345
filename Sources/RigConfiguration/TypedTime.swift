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
        /// Where something ends that began at another time: today's, or the first one after a time of day.
        case end(after: UTCTime?)

        /// Whether it is about what is to come.
        package var isFuture: Bool {
            switch self {
            case .future: true
            case .past, .end: false
            }
        }
    }

    /// Why a text means no instant.
    package enum Problem: Error, Hashable {
        case unreadable
        /// The clocks are put forward over this time of this day.
        case skipped(String)
        /// Nobody knows what the clock on the wall shows.
        case unknownZone

        /// One sentence for who typed it.
        ///
        /// - Parameter wanted: how what would be understood is said.
        package func sentence(_ text: String, wanted: String) -> String {
            switch self {
            case .unreadable: "\(wanted), not '\(text)'."
            case .skipped(let time): "There is no \(time) here: the clocks go forward over it."
            case .unknownZone:
                "Which time zone that is cannot be told: set TZ to one such as Europe/Rome, or name it: 2026-11-21T18:00Z."
            }
        }
    }

    /// What is understood, for messages.
    package static let examples = "18:00, yesterday, -1h, +10m, 2026-11-21, 2026-11-21T18:00 or 2026-11-21T18:00Z"
    /// The same, where the time is one to come.
    package static let futureExamples = "18:00, tomorrow 9:00, +5s, +10m, 2026-11-21T18:00 or 2026-11-21T18:00Z"

    private let now: UTCTime
    private let calendar: Calendar
    private let isZoneKnown: Bool

    /// - Parameter zone: the one that is meant where none is named; nil for that of the clock on the wall.
    package init(now: UTCTime, zone: TimeZone? = nil) {
        self.now = now
        let zone = zone ?? TimeZone.own(around: Date(timeIntervalSince1970: Double(now.rawValue) / 1e6))
        var calendar = Calendar(identifier: .gregorian)
        if let zone { calendar.timeZone = zone }
        (self.calendar, isZoneKnown) = (calendar, zone != nil)
    }

    /// The instant that a text means.
    package func instant(_ text: String, _ direction: Direction) throws(Problem) -> Instant {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text == "now" { return .fromNow(0) }
        if let span = span(text, direction) { return .fromNow(span) }
        if let hour = Self.timeOfDay(text[...]) {
            guard isZoneKnown else { throw .unknownZone }
            return .at(try time(at: hour, direction))
        }
        let parts = text.split(separator: #/[T ]/#, maxSplits: 1, omittingEmptySubsequences: false)
        guard let day = parts.first.flatMap(day) else { throw .unreadable }
        guard parts.count == 2 else {
            guard isZoneKnown else { throw .unknownZone }
            guard let start = start(of: day) else { throw .unreadable }
            return .at(start)
        }
        let (clock, zone) = Self.zone(parts[1])
        guard let zone, let hour = Self.timeOfDay(clock) else { throw .unreadable }
        var calendar = calendar
        switch zone {
        case .named(let zone): calendar.timeZone = zone
        case .own: guard isZoneKnown else { throw .unknownZone }
        }
        return .at(try chosen(day, hour, calendar, direction))
    }

    /// Whether a text is a time of day alone.
    package static func isTimeOfDay(_ text: String) -> Bool {
        timeOfDay(text.trimmingCharacters(in: .whitespaces)[...]) != nil
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
        let isPast = match.1 == "-" || match.1.isEmpty && !direction.isFuture
        return Int64((isPast ? -seconds : seconds) * 1e9)
    }

    private static func timeOfDay(_ text: Substring) -> Hour? {
        guard let match = text.wholeMatch(of: #/(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,6})?))?/#),
            let hour = Int(match.1), let minute = Int(match.2), let seconds = Double(match.3 ?? "0"),
            hour < 24, minute < 60, seconds < 60
        else { return nil }
        return (hour, minute, seconds)
    }

    /// - Throws: ``Problem/skipped(_:)`` where the day that is meant does not have the time.
    private func time(at hour: Hour, _ direction: Direction) throws(Problem) -> UTCTime {
        let (days, isMeant): ([Int], (UTCTime) -> Bool) =
            switch direction {
            case .past: ([0, -1], { $0 <= now })
            case .future: ([0, 1], { $0 >= now })
            case .end(after: let start?): ([-1, 0, 1], { $0 > start })
            case .end(after: nil): ([0], { _ in true })
            }
        for day in days.map(today(plus:)) {
            // Where a day does not have it, the time that it would be decides whether the day is meant.
            let times = instants(day, hour, calendar)
            if let time = direction.isFuture || days.count > 2
                ? times.first(where: isMeant) : times.last(where: isMeant)
            {
                return time
            }
            if times.isEmpty, let near = instants(day, (hour.hour + 1, hour.minute, hour.seconds), calendar).first,
                isMeant(near)
            {
                throw Self.skipped(day, hour)
            }
        }
        throw .unreadable
    }

    /// Of two instants that a clock shows alike, the next one for what is to come, and the first one otherwise.
    private func chosen(
        _ day: DateComponents, _ hour: Hour, _ calendar: Calendar, _ direction: Direction
    ) throws(Problem) -> UTCTime {
        let times = instants(day, hour, calendar)
        guard let first = times.first else {
            guard calendar.date(from: day) != nil, day.isValidDate(in: calendar) else { throw .unreadable }
            throw Self.skipped(day, hour)
        }
        return direction.isFuture ? times.first { $0 >= now } ?? first : first
    }

    private static func skipped(_ day: DateComponents, _ hour: Hour) -> Problem {
        .skipped(
            String(
                format: "%02d:%02d on %04d-%02d-%02d", hour.hour, hour.minute, day.year ?? 0, day.month ?? 0,
                day.day ?? 0))
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

    /// The first instant of a day, which on some is not midnight: the clocks are put forward over that.
    private func start(of day: DateComponents) -> UTCTime? {
        var noon = day
        (noon.calendar, noon.hour) = (calendar, 12)
        guard noon.isValidDate(in: calendar), let date = calendar.date(from: noon) else { return nil }
        return UTCTime(rawValue: Int64(calendar.startOfDay(for: date).timeIntervalSince1970) * 1_000_000)
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

    /// The instants at which the clock shows this time of this day, in order: two where it is put back over it, none
    /// where it is put forward, or where there is no such day.
    private func instants(_ day: DateComponents, _ hour: Hour, _ calendar: Calendar) -> [UTCTime] {
        var parts = day
        (parts.hour, parts.minute, parts.second) = (hour.hour, hour.minute, Int(hour.seconds))
        parts.calendar = calendar
        guard parts.isValidDate(in: calendar), let first = calendar.date(from: parts) else { return [] }
        let zone = calendar.timeZone
        // Clocks are put back by up to three hours.
        let offset = zone.secondsFromGMT(for: first)
        let later = first.addingTimeInterval(
            Double(offset - zone.secondsFromGMT(for: first.addingTimeInterval(3 * 3600))))
        let shown: Set<Calendar.Component> = [.day, .hour, .minute, .second]
        let isTwice =
            later > first && calendar.dateComponents(shown, from: later) == calendar.dateComponents(shown, from: first)
        let fraction = hour.seconds - Double(Int(hour.seconds))
        return (isTwice ? [first, later] : [first]).map { date in
            UTCTime(rawValue: Int64(date.timeIntervalSince1970) * 1_000_000 + Int64((fraction * 1e6).rounded()))
        }
    }
}
