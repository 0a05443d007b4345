package import CaptureModel
import DurableFiles
import PhotoEncoding

/// An export that goes out file by file, for somebody whose folder is elsewhere; it adds to none.
package struct ArchivedExport: Sendable {
    /// What is made, in this order.
    package let entries: [ExportPlan.Entry]
    private var manifest: ExportManifest

    /// - Parameters:
    ///   - format: what all the photos are; nil for several formats.
    /// - Throws: where a name would be none on some system, or two photos would share one.
    package init(
        _ photos: [ExportPhoto], layout: ExportLayout, template: String?, format: PhotoFormat?
    ) throws(ExportPlan.Problem) {
        let plan = try ExportPlan(
            photos, adding: ExportManifest(layout: layout, template: template, format: format))
        (entries, manifest) = (plan.entries, plan.manifest)
        manifest.pending = []
    }

    /// The file that an entry is.
    ///
    /// - Parameter original: the photo's own, whole.
    /// - Throws: where it cannot be given tags.
    package mutating func make(
        _ entry: ExportPlan.Entry, of original: [UInt8]
    ) throws(ExportPlan.Problem) -> [UInt8] {
        var file = entry.file
        guard let tags = entry.tags else {
            manifest.files.append(file)
            return original
        }
        do throws(EncodingError) {
            let bytes = try tags.added(to: original)
            (file.byteCount, file.sha256) = (bytes.count, Digest.of(bytes))
            manifest.files.append(file)
            return bytes
        } catch {
            throw ExportPlan.Problem(message: "it cannot be given tags: \(error)")
        }
    }

    /// What goes with the files that were made.
    ///
    /// - Parameter geometry: where the rig's cameras stand; nil where that is not known.
    /// - Returns: its files, with their paths.
    package mutating func end(_ geometry: RigGeometry?) -> [(path: String, bytes: [UInt8])] {
        let texts = manifest.texts(geometry).sorted { $0.key < $1.key }.map {
            (path: $0.key, bytes: Array($0.value.utf8))
        }
        for (path, bytes) in texts { manifest.sideFiles[path] = Digest.of(bytes) }
        manifest.geometryVersion = manifest.isPosed(geometry) ? geometry?.version : nil
        return texts + [("SHA256SUMS", manifest.sums), (ExportManifest.name, manifest.text)]
    }

    /// What its program should be told of, one sentence each.
    ///
    /// - Parameter geometry: where the rig's cameras stand; nil where that is not known.
    package func remarks(_ geometry: RigGeometry?) -> [String] {
        var remarks: [String] = []
        let steps = Set(manifest.files.map(\.step)).count
        if manifest.layout.isForModels, steps > 1 {
            remarks.append(
                "All \(steps) exposures of each bracket are here, and go to one model; export one step for one picture "
                    + "of each.")
        }
        if let geometry, manifest.layout.carriesPoses, case let nodes = manifest.unposed(geometry), !nodes.isEmpty {
            remarks.append(
                "Version \(geometry.version) of the rig's geometry does not have the cameras of \(nodes.folded); they "
                    + "go without poses.")
        }
        if case let nodes = manifest.gaps, !nodes.isEmpty {
            remarks.append(
                "Meshroom will refuse this rig, as cameras are numbered and \(nodes.folded) has no photo here.")
        }
        return remarks
    }
}
