/// A day of the proleptic Gregorian calendar, in UTC; it spares a node the weight of Foundation.
package struct Day: Hashable, Sendable, CustomStringConvertible {
    /// As astronomers count: 0 is 1 BC.
    package let year: Int
    /// 1 to 12.
    package let month: Int
    /// Of the month, 1 to 31.
    package let day: Int

    /// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    ///
    /// - Parameter number: days since 1970-01-01.
    package init(number: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// `2026-11-21`.
    package var description: String { text(separator: "-") }

    /// The day with another separator between its numbers.
    package func text(separator: String) -> String {
        "\(year)\(separator)\(month < 10 ? "0" : "")\(month)\(separator)\(day < 10 ? "0" : "")\(day)"
    }
}
