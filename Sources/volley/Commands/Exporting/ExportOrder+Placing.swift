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
    ///   - fusion: what makes the pictures of brackets; nil for photos.
    ///   - report: told of each photo; those that cannot be exported are in it.
    /// - Returns: the exporter, which has the folder until it is ended.
    func place(
        as manifest: ExportManifest, links: Bool, fusion: BracketFusion? = nil, _ geometry: RigGeometry?,
        _ answers: Answers,
        _ report: inout ExportReport
    ) async throws -> Exporter {
        var exporter = try Exporter(folder: folder, manifest, links: links)
        var photos = photos
        if let fusion { photos = try await merged(fusion, answers, &report) }
        // Another command may have exported meanwhile.
        let plan = try exporter.plan(photos)
        try exporter.begin(plan)
        try await fetch(plan.entries.filter { !exporter.isThere($0) }.map(\.photo), answers, &report)
        try place(plan, geometry, &exporter, &report)
        report.geometryVersion = exporter.contents.geometryVersion
        if let geometry, plan.manifest.layout.carriesPoses, case let nodes = exporter.unposed(geometry), !nodes.isEmpty
        {
            Output.words(
                "Version \(geometry.version) of the rig's geometry does not have the cameras of \(nodes.folded); they go without "
                    + "poses.")
        }
        if case let nodes = exporter.gaps, !nodes.isEmpty {
            Output.words(
                "Meshroom will refuse this rig, as cameras are numbered and \(nodes.folded) has no photo here; mend that, or "
                    + "export the others into another folder.")
        }
        return exporter
    }

    /// The brackets, each with its picture.
    private func merged(
        _ fusion: BracketFusion, _ answers: Answers, _ report: inout ExportReport
    ) async throws -> [ExportPhoto] {
        let there = photos.compactMap(fusion.made)
        let known = Set(there.map(\.id))
        let rest = photos.filter { !known.contains($0.id) }
        try await fetch(rest.flatMap(\.merges), answers, &report)
        return there
            + (await fusion.make(rest.filter { bracket in !bracket.merges.contains { report.hasFailed($0) } }, &report))
    }

    /// Brings originals from another machine.
    private func fetch(_ photos: [ExportPhoto], _ answers: Answers, _ report: inout ExportReport) async throws {
        guard case .coordinator(let client) = answers else { return }
        let wanted = Set(photos.map(\.id))
        let photos = found.filter { wanted.contains($0.id) }
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
            var rest = plan.entries.filter { !report.hasFailed($0.photo) }[...]
            let count = rest.count
            while !rest.isEmpty {
                let next = rest.prefix(500)
                for (entry, outcome) in zip(next, try exporter.place(next)) { report.note(entry.photo, outcome) }
                rest = rest.dropFirst(next.count)
                bar.show(count - rest.count, of: count, "exported")
            }
        } catch {
            // What is there is in the manifest where the disk still takes that.
            _ = try? exporter.finish(geometry)
            throw error
        }
        report.changed = try exporter.finish(geometry)
        if exporter.unlistedCount > 0 {
            let photos = Sentences.count(exporter.unlistedCount, "photo")
            Output.words("\(photos) of former exports had been taken out of the folder, and out of its lists now.")
        }
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
            let times = plan.manifest.captures.map { fired[$0] ?? UTCTime(rawValue: $0.rawValue) }
            guard plan.manifest.layout.carriesPoses, let first = times.min(), let last = times.max() else { return nil }
            var held: [RigGeometry?] = []
            for time in [first, last] {
                do {
                    held.append(try await answers.geometry(GeometryRequest(at: time)))
                } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .invalid {
                    Output.words("Without poses: the coordinator is of an older release.")
                    return nil
                }
            }
            if held[0]?.version == held[1]?.version { return held[0] }
            Output.words(
                "Without poses: not all of these captures were taken while one version of the rig's geometry held; export them "
                    + "into folders of their own, or name a version with --poses.")
            return nil
        }
    }
}
