import CaptureModel
import Documents
import Hummingbird
import Programs
import RigProtocol
import RigTransport

/// Photos of captures as one ZIP archive, each held against its hash on its way; what is not there, it names at its end.
struct PhotoDownload: Sendable {
    /// The name of the file that says what is missing.
    private static let missing = "MISSING.txt"

    let client: OperatorClient
    let shelf: PhotoShelf
    let ids: [UniqueID]
    let choice: PhotoChoice
    /// The library's folder on the coordinator's machine.
    let library: String

    func write(to writer: inout any ResponseBodyWriter) async throws {
        var (archive, missing, count) = (ZipArchive(), [String](), 0)
        for id in ids {
            let capture: CaptureDetail
            do {
                capture = try await client.ask(ShowRequest(uniqueID: id)).capture
            } catch OperatorClient.ClientError.refused(let refusal) {
                missing.append("capture \(id): \(refusal.message)")
                continue
            }
            let time = capture.summary.createdAt
            let document = JSONText.of(CaptureDocument(capture))
            try await archive.add(Array(document.utf8), "\(id)/capture.json", time, to: &writer)
            // Those that took no part owe nothing that could be named.
            for node in capture.nodes where !capture.photos.contains(where: { $0.node == node.node }) {
                missing.append("\(id), all of \(node.node): \(node.reason?.printableLine ?? node.state.rawValue)")
            }
            for photo in capture.photos where choice.contains(photo.record) && photo.deletedAt == nil {
                let name = photo.fileName(of: id)
                guard photo.path != nil else {
                    missing.append("\(name): \(photo.state.rawValue)")
                    continue
                }
                let bytes: [UInt8]
                do {
                    bytes = try await shelf.bytes(of: photo, in: library)
                } catch {
                    missing.append("\(name): \((error as? ConsoleError)?.message ?? "\(error)")")
                    continue
                }
                try await archive.add(bytes, "\(id)/\(name)", time, to: &writer)
                count += 1
            }
        }
        if count == 0, missing.isEmpty { missing.append("There is no photo like that.") }
        if !missing.isEmpty {
            let text = (missing + [""]).joined(separator: "\n")
            try await archive.add(Array(text.utf8), Self.missing, .now, to: &writer)
        }
        try await writer.write(ByteBuffer(bytes: archive.directory()))
    }
}

extension ZipArchive {
    /// Sends a file of it.
    mutating func add(
        _ bytes: [UInt8], _ name: String, _ time: UTCTime, to writer: inout any ResponseBodyWriter
    ) async throws {
        let header = header(of: name, byteCount: UInt32(bytes.count), checksum: Self.checksum(bytes), at: time)
        try await writer.write(ByteBuffer(bytes: header))
        try await writer.write(ByteBuffer(bytes: bytes))
    }
}

extension StoredPhoto {
    /// What it is called where it is saved.
    func fileName(of id: UniqueID) -> String {
        "\(id)_\(node)_\(record.photoCount).\(record.format.pathExtension)"
    }
}
