import CaptureModel
import Foundation
import HTTPTypes
import Hummingbird
import PhotoEncoding
import Posix
import RigProtocol
import RigTransport

/// Photos as they lie in the library, which is only read.
struct PhotoShelf: Sendable {
    /// What a thumbnail covers at least.
    private static let box = Dimensions(width: 320, height: 240)

    let client: OperatorClient
    /// The library's folder; nil for the one that the coordinator says.
    let library: String?

    /// The photo of a node, with its bytes as they are in the library.
    func original(_ id: UniqueID, _ node: NodeName, _ count: Int, _ context: ConsoleContext) async throws -> Response {
        let (photo, path) = try await find(id, node, count)
        let body: ResponseBody
        do {
            body = try await FileIO().loadFile(path: path, context: context)
        } catch {
            throw ConsoleError(.notFound, "The photo's file is gone; `volley verify` says more.")
        }
        var headers = Self.lasting(photo)
        headers[.contentType] =
            switch photo.record.format {
            case .jpeg: "image/jpeg"
            case .tiff: "image/tiff"
            case .dng: "image/x-adobe-dng"
            }
        headers[.contentDisposition] =
            "inline; filename=\"\(id)_\(node)_\(count).\(photo.record.format.pathExtension)\""
        return Response(status: .ok, headers: headers, body: body)
    }

    /// A small copy of it.
    func thumbnail(_ id: UniqueID, _ node: NodeName, _ count: Int) async throws -> Response {
        let (photo, path) = try await find(id, node, count)
        return try await thumbnail(of: photo, at: path)
    }

    /// A small copy of one of a capture's photos.
    func thumbnail(_ id: UniqueID) async throws -> Response {
        var filter = PhotoFilter()
        (filter.captures.digits, filter.states, filter.limit) = ("\(id)", [.stored], 50)
        let reply = try await client.ask(PhotosRequest(filter: filter))
        let photos = reply.found.items.filter { $0.uniqueID == id && $0.photo.path != nil }.map(\.photo)
        // In the middle of a bracket, as a rule, is the exposure that people would choose.
        let ofOne = photos.filter { $0.node == photos[0].node }
        let seen = ofOne.filter { $0.record.format == .jpeg }
        let chosen = seen.isEmpty ? ofOne : seen
        guard let photo = chosen.isEmpty ? nil : chosen[chosen.count / 2], let path = photo.path else {
            throw ConsoleError(.notFound, "Capture \(id) has no photo in the library.")
        }
        return try await thumbnail(of: photo, at: try place(path, in: reply.library))
    }

    private func thumbnail(of photo: StoredPhoto, at path: String) async throws -> Response {
        let format = photo.record.format
        let bytes: [UInt8]
        do {
            bytes = try await OSThread.run(name: "thumbnail") {
                try ScreenImage(contentsOf: path, format, atLeast: Self.box).jpeg()
            }
        } catch {
            throw ConsoleError(.notFound, "The photo's file is gone or damaged; `volley verify` says more.")
        }
        var headers = Self.lasting(photo)
        headers[.contentType] = "image/jpeg"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func find(_ id: UniqueID, _ node: NodeName, _ count: Int) async throws -> (StoredPhoto, String) {
        var filter = PhotoFilter()
        (filter.captures.digits, filter.nodes) = ("\(id)", [NodePattern(node)])
        let reply = try await client.ask(PhotosRequest(filter: filter))
        let found = reply.found.items.first { $0.uniqueID == id && $0.photo.record.photoCount == count }
        guard let photo = found?.photo else {
            throw ConsoleError(.notFound, "Capture \(id) has no photo \(count) of \(node).")
        }
        guard let path = photo.path else {
            throw ConsoleError(.notFound, "Photo \(count) of \(node) in capture \(id) is \(photo.state.rawValue).")
        }
        return (photo, try place(path, in: reply.library))
    }

    private func place(_ path: String, in told: String) throws(ConsoleError) -> String {
        // The catalogue says so, and no catalogue is a reason to read other files.
        guard !path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
            throw ConsoleError(.notFound, "The catalogue names a file that is not in the library.")
        }
        return "\(library ?? told)/\(path)"
    }

    /// A photo never changes; whether somebody may still see it is asked again.
    private static func lasting(_ photo: StoredPhoto) -> HTTPFields {
        var headers: HTTPFields = [.cacheControl: "private, no-cache"]
        if let hash = photo.record.file?.sha256 { headers[.eTag] = "\"\(hash)\"" }
        return headers
    }
}
