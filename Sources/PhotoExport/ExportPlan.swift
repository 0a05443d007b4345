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
        try checkNames()
    }

    private func checkNames() throws(Problem) {
        var owners: [String: ExportPhoto] = [:]
        for entry in entries {
            if let objection = PathRules.objection(to: entry.path) {
                throw Problem(
                    message: "The \(Self.words(entry.photo)) cannot be exported as '\(entry.path)': \(objection)")
            }
            // macOS and Windows take names that differ in case, or in how an accent is written, for one.
            if let other = owners.updateValue(entry.photo, forKey: PathRules.key(entry.path)) {
                throw Problem(
                    message:
                        "The \(Self.words(other)) and the \(Self.words(entry.photo)) would both be '\(entry.path)'; "
                        + "a template with {capture}, {node} and {step} tells photos apart.")
            }
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
