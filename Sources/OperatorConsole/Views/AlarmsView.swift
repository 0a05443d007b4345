import CaptureModel
import Programs
import RigAttention

/// What a person has to see.
struct AlarmsView {
    struct Row {
        /// How many captures are named.
        private static let mostCaptures = 12

        let number, words, since, until, count: String
        /// The captures that it is of, the newest first.
        let captures: [String]
        let hasCaptures: Bool
        /// How many others there are, in words; nil for none.
        let others: String?
        let isSeen: Bool

        init(_ alarm: Alarm, _ captures: [UniqueID]) {
            (number, words) = ("\(alarm.number)", alarm.words.printableLine)
            (self.captures, hasCaptures) = (captures.prefix(Self.mostCaptures).map(\.description), !captures.isEmpty)
            let rest = captures.count - Self.mostCaptures
            others = rest > 0 ? Sentences.count(rest, "other") : nil
            since = "\(alarm.last.day) \(alarm.last.timeOfDay)"
            until = alarm.until.map { "\($0.day) \($0.timeOfDay)" } ?? "still lasts"
            (count, isSeen) = ("\(alarm.count)", alarm.isSeen)
        }
    }

    let title = "Alarms"
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    /// The greatest number that is shown.
    let newest: Int64
    /// The newest first.
    let rows: [Row]
    let hasRows, hasUnseen: Bool

    init(_ book: AlarmBook, news: Int64?) {
        let alarms = book.alarms
        (self.news, newest) = (news, alarms.map(\.number).max() ?? 0)
        rows = alarms.reversed().map { Row($0, book.captures(of: $0)) }
        (hasRows, hasUnseen) = (!rows.isEmpty, rows.contains { !$0.isSeen })
    }
}
