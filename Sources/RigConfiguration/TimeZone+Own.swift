package import Foundation
import Glibc
import Synchronization

/// What was found last, and for which day.
private let found = Mutex<(day: Int, zone: TimeZone?)?>(nil)

extension TimeZone {
    /// The zone of the clock on the wall, as the C library has it, which prints the times of tables.
    ///
    /// Foundation takes a `TZ` that names no zone of its database, such as `JST-9` or `:Europe/Rome`, for UTC.
    ///
    /// - Returns: a zone whose clock shows the same throughout the years around a time; nil where there is none.
    package static func own(around time: Date) -> TimeZone? {
        let day = Int(time.timeIntervalSince1970 / 86_400)
        return found.withLock { found in
            if let found, found.day == day { return found.zone }
            let zone = search(around: time)
            found = (day, zone)
            return zone
        }
    }

    private static func search(around time: Date) -> TimeZone? {
        // Half a day apart: a change of clocks on another day tells two zones apart.
        let days = stride(from: -400.0, through: 400.0, by: 0.5).map { time.addingTimeInterval($0 * 86_400) }
        func fits(_ zone: TimeZone, _ days: some Sequence<Date>) -> Bool {
            days.allSatisfy { zone.secondsFromGMT(for: $0) == offset(at: $0) }
        }
        if fits(.current, days) { return .current }
        if let fixed = TimeZone(secondsFromGMT: offset(at: time)), fits(fixed, days) { return fixed }
        let some = stride(from: 0, to: days.count, by: 60).map { days[$0] }
        return knownTimeZoneIdentifiers.lazy.compactMap(TimeZone.init(identifier:)).first {
            fits($0, some) && fits($0, days)
        }
    }

    /// Seconds east of Greenwich, as the C library has it.
    private static func offset(at date: Date) -> Int {
        var (seconds, parts) = (time_t(date.timeIntervalSince1970.rounded(.down)), tm())
        localtime_r(&seconds, &parts)
        return parts.tm_gmtoff
    }
}
