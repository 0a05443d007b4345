import CaptureModel
import RigAttention

/// What a person has to see.
struct AlarmsView {
    struct Row {
        let number, words, since, until, count: String
        let isSeen: Bool

        init(_ alarm: Alarm) {
            (number, words) = ("\(alarm.number)", alarm.words.printableLine)
            since = "\(alarm.last.day) \(alarm.last.timeOfDay)"
            until = alarm.until.map { "\($0.day) \($0.timeOfDay)" } ?? "still lasts"
            (count, isSeen) = ("\(alarm.count)", alarm.isSeen)
        }
    }

    let title = "Alarms"
    let isInside = true
    /// After which number news is news.
    let news: Int64?
    /// The greatest number that is shown.
    let newest: Int64
    /// The newest first.
    let rows: [Row]
    let hasRows, hasUnseen: Bool

    init(_ alarms: [Alarm], news: Int64?) {
        (self.news, newest) = (news, alarms.map(\.number).max() ?? 0)
        rows = alarms.reversed().map(Row.init)
        (hasRows, hasUnseen) = (!rows.isEmpty, rows.contains { !$0.isSeen })
    }
}
