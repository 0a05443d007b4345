package import CaptureModel
import Foundation

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

        /// Which photo it is.
        var id: PhotoID { PhotoID(uniqueID: uniqueID, node: node, photoCount: photoCount) }
    }

    /// Its name in the export's folder.
    package static let name = "volley-export.json"

    package let layout: ExportLayout
    /// Of the layout `files`.
    package let template: String?
    /// What all its photos are; nil for several formats.
    package let format: PhotoFormat?
    /// What tells this rig's photos from another's.
    private(set) var rigID = UUID().uuidString
    /// Cameras are numbered by their place here, from 0.
    package private(set) var nodes: [NodeName] = []
    /// Instants are numbered by their place here, from 1.
    private(set) var shots: [ExportPhoto.Shot] = []
    package var files: [File] = []
    /// Files that were about to be made when this was written.
    var pending: [File] = []
    /// The hashes of the texts that go with the photos, as they were written.
    var sideFiles: [String: String] = [:]

    package init(layout: ExportLayout, template: String? = nil, format: PhotoFormat? = nil) {
        (self.layout, self.template, self.format) = (layout, template, format)
    }

    /// Gives numbers to nodes and instants that have none; those that have keep theirs.
    mutating func number(_ photos: [ExportPhoto]) {
        let known = Set(nodes)
        nodes += Set(photos.map(\.node)).subtracting(known).sorted { $0.precedes($1) }
        shots += Set(photos.map(\.shot)).subtracting(shots).sorted()
    }

    /// Whether it can be one that was written here: it names places to write to.
    var isSound: Bool {
        let all = files + pending
        return Set(files.map(\.path)).count == files.count && Set(nodes).count == nodes.count
            && Set(shots).count == shots.count
            && all.allSatisfy { file in
                PathRules.objection(to: file.path) == nil && file.step >= 1 && file.byteCount >= 0
                    && file.sha256.wholeMatch(of: #/[0-9a-f]{64}/#) != nil
            }
    }

    /// Texts that go with the photos, by their paths: for everything that the export holds.
    var texts: [String: String] {
        switch layout {
        case .colmap: ["rig_config.json": COLMAPLayout.rigConfiguration(self)]
        case .metashape: ["metashape_import.py": MetashapeLayout.script]
        case .realityscan: RealityScanLayout.sidecars(self)
        case .hdr: HDRLayout.tables(self)
        case .meshroom, .odm, .files: [:]
        }
    }
}
