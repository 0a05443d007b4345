import CaptureModel
import DurableFiles
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
    private static let small = Dimensions(width: 320, height: 240)
    /// As large as it is.
    private static let whole = Dimensions(width: .max, height: .max)

    private let client: OperatorClient
    /// The library's folder; nil for the one that the coordinator says.
    private let library: String?
    /// Few at a time, as each takes the memory of a whole picture.
    private let turnstile = Turnstile(places: 2, longestQueue: 200)
    private let files = PosixFileSystem()

    init(client: OperatorClient, library: String?) { (self.client, self.library) = (client, library) }

    /// The photo of a node, with its bytes as they are in the library.
    func original(
        _ id: UniqueID, _ node: NodeName, _ count: Int, _ request: Request, _ context: ConsoleContext
    ) async throws -> Response {
        let (photo, path) = try await find(id, node, count)
        if let unchanged = Self.unchanged(photo, request) { return unchanged }
        guard let file = photo.record.file, (try? files.byteCount(of: path)) == file.byteCount else { throw Self.lost }
        var headers = Self.lasting(photo)
        headers[.contentType] =
            switch photo.record.format {
            case .jpeg: "image/jpeg"
            case .tiff: "image/tiff"
            case .dng: "image/x-adobe-dng"
            }
        headers[.contentDisposition] = "inline; filename=\"\(photo.fileName(of: id))\""
        let body: ResponseBody
        do { body = try await FileIO().loadFile(path: path, context: context) } catch { throw Self.lost }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// A photo's file.
    ///
    /// - Parameter told: the library's folder, as the coordinator says.
    /// - Throws: ``ConsoleError`` where it is gone or damaged, and `SystemError` where it cannot be read.
    func bytes(of photo: StoredPhoto, in told: String) async throws -> [UInt8] {
        guard let file = photo.record.file, let path = photo.path else { throw Self.lost }
        let place = try place(path, in: told)
        return try await OSThread.run(name: "download") {
            let bytes = try files.unlessLost { () throws(SystemError) in try files.read(place) }
            guard let bytes, Digest.of(bytes) == file.sha256 else { throw Self.lost }
            return bytes
        }
    }

    /// A small copy of it.
    func thumbnail(_ id: UniqueID, _ node: NodeName, _ count: Int, _ request: Request) async throws -> Response {
        let (photo, path) = try await find(id, node, count)
        return try await thumbnail(of: photo, at: path, request)
    }

    /// A JPEG of it, as large as it is, where it is none that browsers read.
    func picture(_ id: UniqueID, _ node: NodeName, _ count: Int, _ request: Request) async throws -> Response {
        let (photo, path) = try await find(id, node, count)
        return try await thumbnail(of: photo, at: path, request, into: Self.whole)
    }

    /// A small copy of one of a capture's photos.
    func thumbnail(_ id: UniqueID, _ request: Request) async throws -> Response {
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
        return try await thumbnail(of: photo, at: try place(path, in: reply.library), request)
    }

    private func thumbnail(
        of photo: StoredPhoto, at path: String, _ request: Request, into box: Dimensions = small
    ) async throws -> Response {
        if let unchanged = Self.unchanged(photo, request) { return unchanged }
        let copied = await turnstile.pass {
            try? await OSThread.run(name: "thumbnail") { try Self.copy(path, photo.record.format, box) }
        }
        guard let copied else {
            throw ConsoleError(.serviceUnavailable, "Too many pictures are wanted at once; try again.")
        }
        guard let bytes = copied else { throw Self.lost }
        var headers = Self.lasting(photo)
        headers[.contentType] = "image/jpeg"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func copy(_ path: String, _ format: PhotoFormat, _ box: Dimensions) throws -> [UInt8] {
        let jpeg =
            format == .jpeg
            ? try PosixFileSystem().read(path) : try ScreenImage(contentsOf: path, format, atLeast: box).jpeg()
        guard box != whole else { return jpeg }
        return try JPEGFile.oriented(
            try JPEGEncoder.encode(try SmallPicture.make(of: .jpeg(jpeg), into: box), quality: 85),
            JPEGFile.orientation(of: jpeg))
    }

    private static let lost = ConsoleError(
        .notFound, "The photo's file is gone or damaged; `volley verify` says more.")

    private func find(_ id: UniqueID, _ node: NodeName, _ count: Int) async throws -> (StoredPhoto, String) {
        var filter = PhotoFilter()
        (filter.captures.digits, filter.nodes) = ("\(id)", [NodePattern(node)])
        let reply = try await client.ask(PhotosRequest(filter: filter))
        let found = reply.found.items.first { $0.uniqueID == id && $0.photo.record.photoCount == count }
        guard let photo = found?.photo else {
            // It says so where there is no such capture.
            _ = try await client.ask(ShowRequest(uniqueID: id))
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
        if let tag = tag(photo) { headers[.eTag] = tag }
        return headers
    }

    private static func tag(_ photo: StoredPhoto) -> String? { photo.record.file.map { "\"\($0.sha256)\"" } }

    /// The answer to a browser that has it already.
    private static func unchanged(_ photo: StoredPhoto, _ request: Request) -> Response? {
        guard let tag = tag(photo), request.headers[.ifNoneMatch] == tag else { return nil }
        return Response(status: .notModified, headers: lasting(photo))
    }
}
