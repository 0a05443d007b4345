package import CaptureModel

/// What an export holds, kept beside it, so that the next one adds to it.
package struct ExportManifest: Codable, Sendable, Hashable {
    /// A file of it.
    package struct File: Codable, Sendable, Hashable {
        /// Relative to the export's folder.
        package var path: String
        /// The photo that it was made of.
        package var uniqueID: UniqueID
        package var node: NodeName
        package var photoCount: Int
        /// 1 for the first exposure.
        package var step: Int
        /// What it was exposed with, as far as is known.
        package var exposureSeconds, iso, gain: Double?
        /// `verified`, `mismatch` or `unverifiable`.
        package var verification: String?
        package var byteCount: Int
        /// Of this file, in hexadecimal digits.
        package var sha256: String
        /// Of the original, where tags were added to this one; its pixels are the same.
        package var originalSHA256: String?
    }

    /// Its name in the export's folder.
    package static let name = "volley-export.json"

    package var layout: ExportLayout
    /// Of the layout `files`.
    package var template: String?
    /// Cameras are numbered by their place here, from 0.
    package var nodes: [NodeName] = []
    /// Instants are numbered by their place here, from 1.
    package var shots: [ExportPhoto.Shot] = []
    package var files: [File] = []

    package init(layout: ExportLayout, template: String? = nil) { (self.layout, self.template) = (layout, template) }

    /// Texts that go with the photos, by their paths: for everything that the export holds.
    package var sideFiles: [String: String] {
        switch layout {
        case .colmap: ["rig_config.json": COLMAPLayout.rigConfiguration(self)]
        case .metashape: ["metashape_import.py": MetashapeLayout.script]
        case .realityscan: RealityScanLayout.sidecars(self)
        case .hdr: HDRLayout.tables(self)
        case .meshroom, .odm, .files: [:]
        }
    }

    /// Gives numbers to nodes and instants that have none; those that have keep theirs.
    mutating func number(_ photos: [ExportPhoto]) {
        let known = Set(nodes)
        nodes += Set(photos.map(\.node)).subtracting(known).sorted { $0.precedes($1) }
        shots += Set(photos.map(\.shot)).subtracting(shots).sorted()
    }
}
