import CaptureModel

/// What an export is to hold, decided before anything is written; pure.
package struct ExportPlan: Sendable {
    /// A photo's place in it.
    package struct Entry: Sendable {
        package let photo: ExportPhoto
        /// Relative to the export's folder.
        package let path: String
        /// Tags that the copy gets; nil where it is the original.
        package let tags: ExportTags?

        init(_ photo: ExportPhoto, _ path: String, tags: ExportTags? = nil) {
            (self.photo, self.path, self.tags) = (photo, path, tags)
        }

        /// What the manifest says of it, as far as that is known before it is made.
        var file: ExportManifest.File {
            let exposure = photo.exposure
            return ExportManifest.File(
                path: path, uniqueID: photo.capture.uniqueID, node: photo.node,
                photoCount: photo.id.photoCount, step: photo.shot.step,
                exposureSeconds: exposure.duration?.seconds, iso: exposure.iso, gain: exposure.gain,
                widthPixels: photo.file.dimensions.width, heightPixels: photo.file.dimensions.height,
                verification: photo.photo.record.verification?.name, byteCount: photo.file.byteCount,
                sha256: photo.file.sha256, originalSHA256: tags == nil ? nil : photo.file.sha256)
        }
    }

    /// Why there is none.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let message: String
        package var description: String { message }

        package init(message: String) { self.message = message }
    }

    package private(set) var manifest: ExportManifest
    package private(set) var entries: [Entry]

    /// - Parameters:
    ///   - photos: those that are asked for.
    ///   - former: what the folder holds already.
    /// - Throws: where a name would be none on some system, or two photos would share one.
    package init(_ photos: [ExportPhoto], adding former: ExportManifest) throws(Problem) {
        manifest = former
        manifest.number(photos)
        let numbers = ExportNumbers(manifest)
        switch manifest.layout {
        case .colmap: entries = photos.map { Entry($0, COLMAPLayout.path($0)) }
        case .meshroom: entries = try MeshroomLayout.arrange(photos, numbers)
        case .metashape, .realityscan: entries = photos.map { Entry($0, MetashapeLayout.path($0)) }
        case .odm: entries = try ODMLayout.arrange(photos, numbers)
        case .hdr: entries = photos.map { Entry($0, HDRLayout.path($0)) }
        case .files: entries = try FileTemplate(manifest.template ?? "").arrange(photos)
        }
        try checkNames(former.files)
        manifest.pending = entries.map { $0.file }
    }

    private func checkNames(_ former: [ExportManifest.File]) throws(Problem) {
        // macOS and Windows take names that differ in case, or in how an accent is written, for one.
        var owners = Dictionary(former.map { (PathRules.key($0.path), $0.id) }) { first, _ in first }
        owners.reserveCapacity(owners.count + entries.count)
        // By index, as an entry takes as long to be copied as to be checked.
        for index in entries.indices {
            let (path, id) = (entries[index].path, entries[index].photo.id)
            if let objection = PathRules.objection(to: path) {
                throw Problem(
                    message: "The \(Self.words(entries[index].photo)) cannot be exported as '\(path)': \(objection)")
            }
            guard let other = owners.updateValue(id, forKey: PathRules.key(path)), other != id else { continue }
            let hint =
                manifest.layout == .files
                ? " A template with {capture}, {node}, {step} and {ext} tells photos apart." : ""
            throw Problem(
                message:
                    "The \(Self.words(entries[index].photo)) and photo \(other.photoCount) of \(other.node) in capture "
                    + "\(other.uniqueID) would both be '\(path)'.\(hint)")
        }
    }

    static func words(_ photo: ExportPhoto) -> String {
        let format = photo.photo.record.format.rawValue.uppercased()
        return "\(format) of step \(photo.shot.step) of \(photo.node) in capture \(photo.capture.uniqueID)"
    }
}

/// The numbers of cameras and instants in an export.
struct ExportNumbers {
    private let nodes: [NodeName: Int]
    private let shots: [ExportPhoto.Shot: Int]

    init(_ manifest: ExportManifest) {
        nodes = Dictionary(uniqueKeysWithValues: manifest.nodes.enumerated().map { ($1, $0) })
        shots = Dictionary(uniqueKeysWithValues: manifest.shots.enumerated().map { ($1, $0 + 1) })
    }

    /// From 0.
    func camera(_ photo: ExportPhoto) -> Int { nodes[photo.node] ?? 0 }
    /// From 1.
    func instant(_ photo: ExportPhoto) -> Int { shots[photo.shot] ?? 0 }
}
