import CaptureModel
import Documents
import Foundation
import Hummingbird
import RigProtocol

/// News as server-sent events (HTML, *Server-sent events*): each has the news' number as its id, so that a browser that
/// comes back says after which it wants more.
struct EventStream {
    let hub: NewsHub
    /// After which news is wanted.
    let start: Int64

    /// - Throws: ``ConsoleError`` where what a browser says it has had is no number.
    init(_ hub: NewsHub, _ request: Request) throws(ConsoleError) {
        self.hub = hub
        let asked = try Query(request).text("after")
        let last = request.headers[.lastEventID] ?? asked
        guard let last else {
            start = hub.newest
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
        var isAway: Bool?
        let signs = hub.signs()
        // A browser takes the time to come back from here.
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        // What there was before is news as well.
        hub.tick()
        for await _ in signs {
            var text = ""
            if case let now = hub.isAway, now != isAway {
                isAway = now
                text += "event: coordinator\ndata: {\"isAway\":\(now)}\n\n"
            }
            while let page = try? await hub.news(after: cursor), let last = page.last {
                text += try page.map(Self.event).joined()
                cursor = last.number
                try await writer.write(ByteBuffer(string: text))
                text = ""
            }
            // Whoever is gone is found out by writing.
            try await writer.write(ByteBuffer(string: text.isEmpty ? ": still here\n\n" : text))
        }
    }

    private static func event(_ notice: Notice) throws -> String {
        let document = NoticeDocument(notice)
        return "id: \(document.number)\nevent: \(document.type)\ndata: \(try JSONText.of(document))\n\n"
    }
}

/// Documents as JSON on one line.
enum JSONText {
    static func of(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
