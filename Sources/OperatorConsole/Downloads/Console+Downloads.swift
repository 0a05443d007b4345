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
                let filter = try CaptureFilter(query.without(PhotoChoice.names), limit: CaptureFilter.mostCaptures)
                let found = try await captures(filter)
                guard !found.items.isEmpty else {
                    throw ConsoleError(.notFound, (["No capture is like that."] + found.remarks).joined(separator: " "))
                }
                guard found.items.count == found.matchCount || query.text("limit") != nil else {
                    throw ConsoleError(
                        .contentTooLarge,
                        "\(found.matchCount) captures are like that, and a file takes \(found.items.count): choose fewer."
                    )
                }
                return try await archive(found.items.map(\.uniqueID), choice, name: "captures")
            }
        }
    }

    private func archive(_ ids: [UniqueID], _ choice: PhotoChoice, name: String) async throws -> Response {
        let download = PhotoDownload(
            client: client, shelf: shelf, ids: ids, choice: choice,
            library: try await client.ask(StatusRequest()).library)
        let headers: HTTPFields = [
            .contentType: "application/zip", .contentDisposition: "attachment; filename=\"\(name).zip\"",
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
                try await download.write(to: &writer)
                try await writer.finish(nil)
            })
    }
}
