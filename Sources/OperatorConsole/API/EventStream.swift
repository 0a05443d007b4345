import CaptureModel
import Documents
import Foundation
import Hummingbird
import RigAttention
import RigProtocol
import ServiceLifecycle

/// News as server-sent events (HTML, *Server-sent events*): each has the news' number as its id, so that a browser that
/// comes back says after which it wants more.
struct EventStream {
    private let hub: NewsHub
    private let alarms: AlarmKeeper
    /// Whether whoever listens may still.
    private let isAdmitted: @Sendable () -> Bool
    /// The number of the news after which the stream begins; nil to begin now.
    private let start: Int64?
    /// Whether it is to hear of silence as well: a page's script sees no comments.
    private let isBeating: Bool

    /// - Throws: ``ConsoleError`` where what a browser says it has had is no number.
    init(
        _ hub: NewsHub, _ alarms: AlarmKeeper, _ request: Request, isAdmitted: @escaping @Sendable () -> Bool
    ) throws(ConsoleError) {
        (self.hub, self.alarms, self.isAdmitted) = (hub, alarms, isAdmitted)
        let query = try Query(request)
        isBeating = query.has("beat")
        let asked = query.text("after")
        let last = request.headers[.lastEventID] ?? asked
        guard let last else {
            start = nil
            return
        }
        guard let number = Int64(last), number >= 0 else {
            throw ConsoleError(.badRequest, "'\(last)' is not the id of an event.")
        }
        start = number
    }

    var response: Response {
        Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { [self] writer in
                try await write(to: &writer)
                try await writer.finish(nil)
            })
    }

    private func write(to writer: inout any ResponseBodyWriter) async throws {
        var cursor = start
        var (isAway, generation, alarmed): (Bool?, Int?, String) = (nil, nil, "")
        // A browser takes the time to come back from here.
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        for await _ in hub.signs().cancelOnGracefulShutdown() {
            guard isAdmitted() else { return }
            let now = hub.standing
            if now.isAway != isAway {
                isAway = now.isAway
                try await writer.write(
                    ByteBuffer(string: "event: coordinator\ndata: {\"isAway\":\(now.isAway)}\n\n"))
            } else {
                // Whoever is gone is found out by writing; a page that hears nothing says that it is old.
                try await writer.write(
                    ByteBuffer(string: isBeating ? "event: beat\ndata: {}\n\n" : ": still here\n\n"))
            }
            let told = Self.event(alarms.book)
            if told != alarmed { try await writer.write(ByteBuffer(string: told)) }
            alarmed = told
            guard !now.isAway else { continue }
            // The numbers of a catalogue that was created anew may be lower than those that were seen.
            if generation != now.generation { cursor = cursor.map { min($0, now.newest) } }
            generation = now.generation
            cursor = try await write(after: cursor ?? now.newest, to: &writer)
        }
    }

    /// Writes all that there is.
    ///
    /// - Returns: the number of the last.
    private func write(after number: Int64, to writer: inout any ResponseBodyWriter) async throws -> Int64 {
        var number = number
        // A coordinator that does not answer now is asked again at the next sign.
        while let page = try? await hub.news(after: number) {
            number = max(number, page.last)
            if !page.news.isEmpty { try await writer.write(ByteBuffer(string: page.news.map(Self.event).joined())) }
            if !page.isMore { break }
        }
        return number
    }

    private static func event(_ book: AlarmBook) -> String {
        let newest = book.alarms.map(\.number).max() ?? 0
        return "event: alarms\ndata: {\"unseenCount\":\(book.unseenCount),\"newest\":\(newest)}\n\n"
    }

    private static func event(_ notice: Notice) -> String {
        let document = NoticeDocument(notice)
        return "id: \(document.number)\nevent: \(document.type)\ndata: \(JSONText.of(document))\n\n"
    }
}
