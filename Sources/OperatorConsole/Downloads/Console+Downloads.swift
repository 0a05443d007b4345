import CaptureModel
import Documents
import HTTPTypes
import Hummingbird
import Programs
import RigProtocol
import RigTransport

/// Photos of a capture, or of many, in one file.
extension Console {
    func addDownloads(_ router: Router<ConsoleContext>) {
        for prefix in ["", "api/v1/"] {
            router.get("\(prefix)captures/:id/photos.zip") { request, context in
                let id = try id(context)
                _ = try await client.ask(ShowRequest(uniqueID: id))
                return try await archive([id], try PhotoChoice(try Query(request)), name: "\(id)")
            }
            router.get("\(prefix)photos.zip") { request, _ in
                let query = try Query(request)
                let choice = try PhotoChoice(query.only(PhotoChoice.names))
                return try await archive(try await chosen(query.without(PhotoChoice.names)), choice, name: "captures")
            }
            router.get("\(prefix)captures/:id/export.zip") { request, context in
                let id = try id(context)
                return try await export([id], try Query(request), name: "\(id)")
            }
            router.get("\(prefix)export.zip") { request, _ in
                let query = try Query(request)
                let own = PhotoChoice.names.union(ExportDownload.names)
                return try await export(try await chosen(query.without(own)), query.only(own), name: "captures")
            }
        }
    }

    /// All captures of a question, which are not too many for one file.
    private func chosen(_ query: Query) async throws -> [UniqueID] {
        let found = try await captures(try CaptureFilter(query, limit: CaptureFilter.mostCaptures))
        guard !found.items.isEmpty else {
            throw ConsoleError(.notFound, (["No capture matches."] + found.remarks).joined(separator: " "))
        }
        guard found.items.count == found.matchCount || query.text("limit") != nil else {
            throw ConsoleError(
                .contentTooLarge,
                "\(found.matchCount) captures match, and an archive holds \(found.items.count); narrow the choice.")
        }
        return found.items.map(\.uniqueID)
    }

    private func export(_ ids: [UniqueID], _ query: Query, name: String) async throws -> Response {
        let place = try place()
        let download = try await ExportDownload(client, shelf, ids, query, name: name)
        return send("\(download.folder).zip", place) { [logger] writer in
            let counts = try await download.write(to: &writer)
            try await writer.finish(nil)
            // Whoever has the file waits for nothing more.
            Task { await download.note(counts, logger) }
        }
    }

    private func archive(_ ids: [UniqueID], _ choice: PhotoChoice, name: String) async throws -> Response {
        let place = try place()
        let download = PhotoDownload(
            client: client, shelf: shelf, ids: ids, choice: choice,
            library: try await client.ask(StatusRequest()).library)
        return send("\(name).zip", place) { writer in
            try await download.write(to: &writer)
            try await writer.finish(nil)
        }
    }

    private func place() throws(ConsoleError) -> Downloads.Place {
        guard let place = downloads.enter() else {
            throw ConsoleError(
                .serviceUnavailable, "\(Downloads.most) downloads are under way; try again when one of them has ended.")
        }
        return place
    }

    /// - Parameter write: writes the whole answer, and finishes it.
    private func send(
        _ name: String, _ place: Downloads.Place,
        _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        let headers: HTTPFields = [
            .contentType: "application/zip", .contentDisposition: "attachment; filename=\"\(name)\"",
        ]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                // Held for as long as the answer is.
                defer { withExtendedLifetime(place) {} }
                try await write(&writer)
            })
    }
}
