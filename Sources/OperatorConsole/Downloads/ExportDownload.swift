import CaptureModel
import Hummingbird
import Logging
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

    /// The name of its folder in the archive, and of the archive before its extension.
    let folder: String
    private let client: OperatorClient
    private let shelf: PhotoShelf
    private let library: String
    private let layout: ExportLayout
    private let export: ArchivedExport
    private let geometry: RigGeometry?
    /// What is known to be missing before anything goes out.
    private let gaps: [String]

    /// - Parameter query: what is asked for.
    /// - Throws: ``ConsoleError`` where there is nothing to export, or nothing that could be.
    init(
        _ client: OperatorClient, _ shelf: PhotoShelf, _ ids: [UniqueID], _ query: Query, name: String
    ) async throws {
        let choice = try PhotoChoice(query.without(Self.names))
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
        (self.client, self.shelf, self.layout, folder) = (client, shelf, layout, "\(name)-\(layout.rawValue)")
        library = try await client.ask(StatusRequest()).library
        var selection = ExportSelection()
        for id in ids {
            do {
                selection.add(try await client.ask(ShowRequest(uniqueID: id)).capture, choice)
            } catch OperatorClient.ClientError.refused(let refusal) {
                selection.gaps.append("capture \(id): \(refusal.message)")
            }
        }
        // Several formats of one instant would be several instants to those programs.
        let format = layout == .files ? nil : selection.photos.commonFormat
        selection.keep(format)
        guard !selection.photos.isEmpty else {
            throw ConsoleError(.notFound, "There is no photo like that to export.")
        }
        do throws(ExportPlan.Problem) {
            export = try ArchivedExport(selection.photos, layout: layout, template: template, format: format)
        } catch {
            throw ConsoleError(.badRequest, error.message)
        }
        let (geometry, objection) = try await Self.geometry(client, layout, selection.times)
        (self.geometry, gaps) = (geometry, selection.gaps + [objection].compactMap(\.self))
    }

    /// The rig's geometry that held for all of the captures, or why there is none though there was one.
    private static func geometry(
        _ client: OperatorClient, _ layout: ExportLayout, _ times: [UTCTime]
    ) async throws -> (RigGeometry?, String?) {
        guard layout.carriesPoses, let first = times.min(), let last = times.max() else { return (nil, nil) }
        do {
            let held = try await client.ask(GeometryRequest(at: first)).geometry
            let then = try await client.ask(GeometryRequest(at: last)).geometry
            if held?.version == then?.version { return (held, nil) }
            return (
                nil, "Without poses: not all of these captures were taken while one version of the rig's geometry held."
            )
        } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .invalid {
            return (nil, "Without poses: the coordinator is of an older release.")
        }
    }

    /// - Returns: how many photos of each capture went out.
    func write(to writer: inout any ResponseBodyWriter) async throws -> [UniqueID: Int] {
        var (archive, export, remarks) = (ZipArchive(), export, gaps)
        var counts: [UniqueID: Int] = [:]
        for entry in export.entries {
            let photo = entry.photo
            let bytes: [UInt8]
            do {
                bytes = try export.make(entry, of: try await shelf.bytes(of: photo.photo, in: library))
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                remarks.append("\(entry.path): \((error as? ConsoleError)?.message ?? "\(error)")")
                continue
            }
            try await archive.add(bytes, "\(folder)/\(entry.path)", photo.capture.createdAt, to: &writer)
            counts[photo.id.uniqueID, default: 0] += 1
        }
        for (path, bytes) in export.end(geometry) {
            try await archive.add(bytes, "\(folder)/\(path)", .now, to: &writer)
        }
        remarks += export.remarks(geometry)
        if !remarks.isEmpty {
            let text = (remarks + [""]).joined(separator: "\n")
            try await archive.add(Array(text.utf8), "\(folder)/\(Self.remarks)", .now, to: &writer)
        }
        try await writer.write(ByteBuffer(bytes: archive.directory()))
        return counts
    }

    /// Has the catalogue's audit say what went out.
    func note(_ counts: [UniqueID: Int], _ logger: Logger) async {
        do {
            for (id, count) in counts.sorted(by: { $0.key < $1.key }) {
                _ = try await client.ask(
                    NoteExportRequest(uniqueID: id, layout: layout.rawValue, place: "\(folder).zip", photoCount: count))
            }
        } catch {
            logger.warning("an export is complete, but not in the catalogue's audit: \(error)")
        }
    }
}

/// The photos that are to be exported, and what their captures lack.
private struct ExportSelection {
    var photos: [ExportPhoto] = []
    /// A sentence for each thing that is missing.
    var gaps: [String] = []
    private var details: [CaptureDetail] = []
    private var missing: [(format: PhotoFormat, words: String)] = []

    mutating func add(_ detail: CaptureDetail, _ choice: PhotoChoice) {
        let id = detail.summary.uniqueID
        details.append(detail)
        if !detail.summary.state.isFinal { gaps.append("Capture \(id) is still under way.") }
        let cameras = Dictionary(detail.nodes.map { ($0.node, $0.camera) }) { first, _ in first }
        let identities = detail.nodes.cameraIdentities
        for photo in detail.photos where choice.contains(photo.record) && photo.deletedAt == nil {
            guard photo.path != nil else {
                missing.append((photo.record.format, "\(photo.fileName(of: id)): \(photo.state.rawValue)"))
                continue
            }
            let item = ExportPhoto(
                photo, of: detail, camera: cameras[photo.node] ?? nil, identity: identities[photo.node], source: "")
            if let item { photos.append(item) }
        }
    }

    /// Leaves one format, or all where that is nil, and says what is missing of it.
    mutating func keep(_ format: PhotoFormat?) {
        if let format { photos.removeAll { $0.photo.record.format != format } }
        gaps += missing.filter { format == nil || $0.format == format }.map(\.words)
        let there = Set(photos.map { "\($0.id.uniqueID) \($0.node)" })
        for detail in details {
            let id = detail.summary.uniqueID
            let lacking = detail.nodes.filter { !there.contains("\(id) \($0.node)") }
            let said = lacking.map { ($0.node, "no photo" + ($0.reason.map { ": \($0)" } ?? "")) }
            gaps += FoldedReasons.lines(Dictionary(said) { first, _ in first }).map { "Capture \(id): \($0)" }
        }
    }

    /// When those captures were fired that have a photo here.
    var times: [UTCTime] {
        let ids = Set(photos.map(\.id.uniqueID))
        return details.filter { ids.contains($0.summary.uniqueID) }.map(\.firedAt)
    }
}

extension ExportLayout {
    /// What pages offer, with its name: names by a template are for programs.
    static let offered: [(value: String, label: String)] = [
        (colmap, "COLMAP"), (meshroom, "Meshroom"), (metashape, "Metashape"), (realityscan, "RealityScan"),
        (odm, "OpenDroneMap"), (hdr, "HDR, brackets in folders"),
    ].map { ($0.0.rawValue, $0.1) }
}
