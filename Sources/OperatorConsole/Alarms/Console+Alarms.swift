import CaptureModel
import Documents
import Hummingbird
import RigAttention

/// What a person has to see.
extension Console {
    func addAlarms(_ router: Router<ConsoleContext>) {
        router.get("alarms") { _, _ in
            let news = news
            return pages.page("alarms", AlarmsView(alarms.book, news: news))
        }
        router.post("alarms/seen") { request, _ in
            let form = try await request.form()
            let numbers = try form.all("number").map { text throws(ConsoleError) in
                guard let number = Int64(text) else { throw ConsoleError(.badRequest, "The form is not whole.") }
                return number
            }
            _ = alarms.see(Set(numbers))
            return Response.redirect(to: "/alarms", type: .normal)
        }
        router.get("api/v1/alarms") { _, _ in
            let book = alarms.book
            return Response.json(book.alarms.map { AlarmDocument($0, book.captures(of: $0)) })
        }
        router.post("api/v1/alarms/seen") { request, _ in
            let body = try await request.object(known: ["numbers"]).decode(Seen.self)
            return Response.json(["seenCount": alarms.see(Set(body.numbers))])
        }
    }

    private struct Seen: Decodable {
        let numbers: [Int64]
    }
}

/// An alarm, for programs.
private struct AlarmDocument: Encodable {
    let number: Int64
    let cause: Concern.Cause
    let node: NodeName?
    let words: String
    /// Those that lack something, the newest first.
    let captures: [UniqueID]
    let since, last: WallTime
    let until: WallTime?
    let count: Int
    let isSeen: Bool

    init(_ alarm: Alarm, _ captures: [UniqueID]) {
        (number, cause, node, words) = (alarm.number, alarm.cause, alarm.node, alarm.words)
        self.captures = captures
        (since, last, until) = (WallTime(alarm.since), WallTime(alarm.last), alarm.until.map { WallTime($0) })
        (count, isSeen) = (alarm.count, alarm.isSeen)
    }
}
