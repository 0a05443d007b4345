import CaptureModel
import PhotoExport
import PhotoRetrieval
import Programs
import RigProtocol
import RigTransport

extension ExportOrder {
    /// Exports the photos.
    ///
    /// - Parameters:
    ///   - manifest: what the folder is to be, where it is none yet.
    ///   - links: whether originals may be linked.
    ///   - report: told of each photo; those that cannot be exported are in it.
    /// - Returns: what the folder holds then.
    func place(
        as manifest: ExportManifest, links: Bool, _ geometry: RigGeometry?, _ answers: Answers,
        _ report: inout ExportReport
    ) async throws -> [ExportManifest.File] {
        var exporter = try Exporter(folder: folder, manifest, links: links)
        // Another command may have exported meanwhile.
        let plan = try exporter.plan(photos)
        try exporter.begin(plan)
        let missing = Set(plan.entries.filter { !exporter.isThere($0) }.map(\.photo.id))
        try await fetch(found.filter { missing.contains($0.id) }, answers, &report)
        try place(plan, geometry, &exporter, &report)
        return exporter.contents
    }

    /// Brings originals from another machine.
    private func fetch(_ photos: [FoundPhoto], _ answers: Answers, _ report: inout ExportReport) async throws {
        guard case .coordinator(let client) = answers else { return }
        let fetch = PhotoFetch(client: client, folder: originals)
        var (done, bar) = (0, ProgressBar())
        defer { bar.finish() }
        try await fetch.fetch(photos) { photo, outcome in
            done += 1
            bar.show(done, of: photos.count, "fetched")
            if case .failed(let message) = outcome { report.fail(photo.id, message) }
        }
    }

    private func place(
        _ plan: ExportPlan, _ geometry: RigGeometry?, _ exporter: inout Exporter, _ report: inout ExportReport
    ) throws {
        var bar = ProgressBar()
        defer { bar.finish() }
        do {
            for entry in plan.entries where !report.hasFailed(entry.photo) {
                report.note(entry.photo, try exporter.place(entry))
                bar.show(report.count, of: plan.entries.count, "exported")
            }
        } catch {
            // What is there is in the manifest where the disk still takes that.
            _ = try? exporter.finish(geometry)
            throw error
        }
        report.changed = try exporter.finish(geometry)
    }

    /// The rig's geometry that held while all the captures of an export were taken.
    ///
    /// - Parameter plan: of the export.
    /// - Throws: ``ExportPlan/Problem`` where a version is asked for that there is not.
    func geometry(_ choice: PoseChoice, _ plan: ExportPlan, _ answers: Answers) async throws -> RigGeometry? {
        switch choice {
        case .without: return nil
        case .version(let version):
            guard let geometry = try await answers.geometry(GeometryRequest(version: version)) else {
                throw ExportPlan.Problem(message: "There is no version \(version) of the rig's geometry.")
            }
            return geometry
        case .held:
            guard plan.manifest.layout.carriesPoses, let span = plan.manifest.span else { return nil }
            let first = try await answers.geometry(GeometryRequest(at: UTCTime(rawValue: span.lowerBound.rawValue)))
            let last = try await answers.geometry(GeometryRequest(at: UTCTime(rawValue: span.upperBound.rawValue)))
            if first?.version == last?.version { return first }
            Output.words(
                "Without poses: the rig's geometry was changed between these captures; export those before and after it into "
                    + "folders of their own, or name a version with --poses.")
            return nil
        }
    }
}
