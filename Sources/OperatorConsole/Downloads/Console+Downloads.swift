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
                let query = try Query(request)
                return try await export([id], query, others: query, name: "\(id)")
            }
            router.get("\(prefix)export.zip") { request, _ in
                let query = try Query(request)
                let captures = try await chosen(query.without(PhotoChoice.names.union(ExportDownload.names)))
                return try await export(
                    captures, query, others: query.only(PhotoChoice.names.union(ExportDownload.names)), name: "captures"
                )
            }
        }
    }

    /// All captures of a question, which are not too many for one file.
    private func chosen(_ query: Query) async throws -> [UniqueID] {
        let found = try await captures(try CaptureFilter(query, limit: CaptureFilter.mostCaptures))
        guard !found.items.isEmpty else {
            throw ConsoleError(.notFound, (["No capture is like that."] + found.remarks).joined(separator: " "))
        }
        guard found.items.count == found.matchCount || query.text("limit") != nil else {
            throw ConsoleError(
                .contentTooLarge,
                "\(found.matchCount) captures are like that, and a file takes \(found.items.count): choose fewer.")
        }
        return found.items.map(\.uniqueID)
    }

    /// - Parameter others: what is asked for besides captures.
    private func export(_ ids: [UniqueID], _ query: Query, others: Query, name: String) async throws -> Response {
        let choice = try PhotoChoice(others.without(ExportDownload.names))
        let download = try await ExportDownload(
            client, shelf, ids, choice, query, library: try await client.ask(StatusRequest()).library, name: name)
        return try send("\(name)-\(query.text("to") ?? "").zip") { try await download.write(to: &$0) }
    }

    private func archive(_ ids: [UniqueID], _ choice: PhotoChoice, name: String) async throws -> Response {
        let download = PhotoDownload(
            client: client, shelf: shelf, ids: ids, choice: choice,
            library: try await client.ask(StatusRequest()).library)
        return try send("\(name).zip") { try await download.write(to: &$0) }
    }

    private func send(
        _ name: String, _ write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) throws(ConsoleError) -> Response {
        let headers: HTTPFields = [
            .contentType: "application/zip", .contentDisposition: "attachment; filename=\"\(name)\"",
        ]
        guard let place = downloads.enter() else {
            throw ConsoleError(
                .serviceUnavailable, "\(Downloads.most) downloads are under way; try again when one of them has ended.")
        }
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                // Held for as long as the answer is.
                defer { withExtendedLifetime(place) {} }
                try await write(&writer)
                try await writer.finish(nil)
            })
    }
}
