import CaptureModel
import Hummingbird
import PhotoExport
import Programs
import RigProtocol
import RigTransport

/// Photos as the next program takes them, in one ZIP archive: what `volley export` makes in a folder.
struct ExportDownload: Sendable {
    /// What is asked for besides captures and photos.
    static let names: Set = ["to", "template"]
    /// The name of the file that says what is missing.
    private static let remarks = "REMARKS.txt"

    private let client: OperatorClient
    private let shelf: PhotoShelf
    private let library: String
    private let layout: ExportLayout
    private let export: ArchivedExport
    private let geometry: RigGeometry?
    /// The name of the folder in the archive.
    private let folder: String
    private let gaps: [String]

    /// - Throws: ``ConsoleError`` where there is nothing to export, or nothing that could be.
    init(
        _ client: OperatorClient, _ shelf: PhotoShelf, _ ids: [UniqueID], _ choice: PhotoChoice, _ query: Query,
        library: String, name: String
    ) async throws {
        (self.client, self.shelf, self.library) = (client, shelf, library)
        let wanted = ExportLayout.allCases.map(\.rawValue).joined(separator: ", ")
        guard let layout = try query.value("to", wanted: wanted, { ExportLayout(rawValue: $0) }) else {
            throw ConsoleError(.badRequest, "'to' says what it is for: \(wanted).")
        }
        let template = query.text("template")
        guard (layout == .files) == (template != nil) else {
            throw ConsoleError(
                .badRequest,
                "'to=files' takes a 'template', such as {session}/{node}_{capture}_{step}.{ext}, and no other does.")
        }
        (self.layout, folder) = (layout, "\(name)-\(layout.rawValue)")
        var (photos, gaps, times): ([ExportPhoto], [String], [UTCTime]) = ([], [], [])
        for id in ids {
            let detail = try await client.ask(ShowRequest(uniqueID: id)).capture
            times.append(detail.firedAt)
            let cameras = Dictionary(detail.nodes.map { ($0.node, $0.camera) }) { first, _ in first }
            let identities = detail.nodes.cameraIdentities
            for photo in detail.photos where choice.contains(photo.record) && photo.deletedAt == nil {
                guard photo.path != nil else {
                    gaps.append("\(photo.fileName(of: id)): \(photo.state.rawValue)")
                    continue
                }
                photos += [
                    ExportPhoto(
                        photo, of: detail.summary, plan: detail.plan, camera: cameras[photo.node] ?? nil,
                        identity: identities[photo.node], source: "")
                ].compactMap(\.self)
            }
        }
        let formats = Set(photos.map(\.photo.record.format))
        // Several formats of one instant would be several instants to those programs.
        let format = layout == .files ? nil : [.jpeg, .tiff, .dng].first(where: formats.contains)
        if let format { photos.removeAll { $0.photo.record.format != format } }
        guard !photos.isEmpty else { throw ConsoleError(.notFound, "There is no photo like that to export.") }
        do throws(ExportPlan.Problem) {
            export = try ArchivedExport(photos, layout: layout, template: template, format: format)
        } catch {
            throw ConsoleError(.badRequest, error.message)
        }
        (geometry, self.gaps) = (try await Self.geometry(client, layout, times), gaps)
    }

    /// The rig's geometry that held for all of the captures.
    private static func geometry(
        _ client: OperatorClient, _ layout: ExportLayout, _ times: [UTCTime]
    ) async throws -> RigGeometry? {
        guard layout.carriesPoses, let first = times.min(), let last = times.max() else { return nil }
        let held = try await client.ask(GeometryRequest(at: first)).geometry
        return try await client.ask(GeometryRequest(at: last)).geometry?.version == held?.version ? held : nil
    }

    func write(to writer: inout any ResponseBodyWriter) async throws {
        var (archive, export, remarks) = (ZipArchive(), export, gaps)
        var counts: [UniqueID: Int] = [:]
        for entry in export.entries {
            let photo = entry.photo
            do {
                let bytes = try export.make(entry, of: try await shelf.bytes(of: photo.photo, in: library))
                try await archive.add(bytes, "\(folder)/\(entry.path)", photo.capture.createdAt, to: &writer)
                counts[photo.id.uniqueID, default: 0] += 1
            } catch let error as ConsoleError {
                remarks.append("\(entry.path): \(error.message)")
            } catch let error as ExportPlan.Problem {
                remarks.append("\(entry.path): \(error.message)")
            }
        }
        if layout.carriesPoses, geometry == nil {
            remarks.append("Without poses: no one version of the rig's geometry held for all of these captures.")
        }
        for (path, bytes) in export.end(geometry) {
            try await archive.add(bytes, "\(folder)/\(path)", .now, to: &writer)
        }
        if !remarks.isEmpty {
            let text = (remarks + [""]).joined(separator: "\n")
            try await archive.add(Array(text.utf8), "\(folder)/\(Self.remarks)", .now, to: &writer)
        }
        try await writer.write(ByteBuffer(bytes: archive.directory()))
        for (id, count) in counts {
            // The files are out; that nobody has written so down takes nothing from them.
            _ = try? await client.ask(
                NoteExportRequest(uniqueID: id, layout: layout.rawValue, place: "\(folder).zip", photoCount: count))
        }
    }
}

extension ExportLayout {
    /// What pages offer: names by a template are for programs.
    static let offered = allCases.filter { $0 != .files }.map(\.rawValue)
}
