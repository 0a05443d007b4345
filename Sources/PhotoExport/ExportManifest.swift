package import CaptureModel
import DurableFiles
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
        /// 1 for the first exposure; 0 for a whole bracket that was merged.
        package var step: Int
        /// What it was exposed with, as far as is known.
        package var exposureSeconds, iso, gain: Double?
        /// The picture's, as its node stored it.
        package var widthPixels, heightPixels: Int?
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

    /// A picture that was merged of files, or was about to be.
    package struct MergedPicture: Codable, Sendable, Hashable {
        /// The hash of the hashes of the files that it was merged of.
        package var source: String
        /// Of the picture.
        package var sha256: String
        /// Of the picture that it takes the place of; nil where there was none.
        package var former: String?

        package init(of files: [File], sha256: String, former: String?) {
            (source, self.sha256, self.former) = (Self.source(files), sha256, former)
        }

        package static func source(_ files: [File]) -> String { Digest.of(Array(files.map(\.sha256).joined().utf8)) }
    }

    /// Its name in the export's folder.
    package static let name = "volley-export.json"

    package let layout: ExportLayout
    /// Of the layout `files`.
    package let template: String?
    /// What all its photos are; nil for several formats.
    package let format: PhotoFormat?
    /// Whether each is a whole bracket that was merged; nil where an earlier release exported, which could not.
    package let isMerged: Bool?
    /// What tells this rig's photos from another's.
    private(set) var rigID = UUID().uuidString
    /// Cameras are numbered by their place here, from 0.
    package private(set) var nodes: [NodeName] = []
    /// What the camera of each node is known by; empty where it was not always the same one.
    package private(set) var cameras: [String: String]?
    /// The version of the rig's geometry whose poses it carries; nil for none.
    package var geometryVersion: Int?
    /// Instants are numbered by their place here, from 1.
    private(set) var shots: [ExportPhoto.Shot] = []
    package var files: [File] = []
    /// Files that were about to be made when this was written.
    var pending: [File] = []
    /// The hashes of the texts that go with the photos, as they were written.
    var sideFiles: [String: String] = [:]
    /// Pictures that were merged of these files and lie beside them, by their paths; nil for none.
    package var merged: [String: MergedPicture]?

    package init(
        layout: ExportLayout, template: String? = nil, format: PhotoFormat? = nil, isMerged: Bool = false
    ) {
        (self.layout, self.template, self.format, self.isMerged) = (layout, template, format, isMerged)
    }

    /// How it differs from the wanted export; nil if it does not.
    func difference(from wanted: ExportManifest) -> String? {
        if layout != wanted.layout { return "for \(layout.rawValue)" }
        if template != wanted.template { return "with names by '\(template ?? "")'" }
        if isMerged ?? false != wanted.isMerged {
            return isMerged == true ? "of merged brackets, made with --merge" : "of single photos, made without --merge"
        }
        if let format, let wanted = wanted.format, format != wanted {
            return "of \(format.rawValue.uppercased()) files"
        }
        return nil
    }

    /// Gives numbers to nodes and instants that have none; those that have keep theirs.
    mutating func number(_ photos: [ExportPhoto]) {
        let known = Set(nodes)
        nodes += Set(photos.map { $0.node }).subtracting(known).sorted { $0.precedes($1) }
        shots += Set(photos.map { $0.shot }).subtracting(shots).sorted()
        // Nobody knows which cameras took what an earlier release exported.
        var cameras = cameras ?? Dictionary(known.map { ($0.rawValue, "") }) { first, _ in first }
        for index in photos.indices {
            let (node, identity) = (photos[index].node.rawValue, photos[index].identity ?? "")
            if cameras.updateValue(identity, forKey: node) ?? identity != identity { cameras[node] = "" }
        }
        self.cameras = cameras
    }

    /// Those that it has photos of.
    package var captures: Set<UniqueID> { Set((files + pending).map { $0.uniqueID }) }

    /// Where the cameras of its nodes stand, by a rig's geometry.
    func poses(_ geometry: RigGeometry?) -> [NodeName: CameraGeometry] {
        let known = Dictionary(geometry?.cameras.map { ($0.camera, $0) } ?? []) { first, _ in first }
        let present = Set(files.map { $0.node })
        let posed = nodes.filter(present.contains).compactMap { node in
            cameras?[node.rawValue].flatMap { known[$0] }.map { (node, $0) }
        }
        return Dictionary(uniqueKeysWithValues: posed)
    }

    /// The nodes of which a geometry does not say where their cameras stand.
    func unposed(_ geometry: RigGeometry) -> [NodeName] {
        let posed = poses(geometry)
        return nodes.filter { node in posed[node] == nil && files.contains { $0.node == node } }
    }

    /// The nodes without a photo whose numbers Meshroom misses: it refuses a rig with a gap among its cameras' numbers.
    var gaps: [NodeName] {
        let present = Set(files.map { $0.node })
        guard layout == .meshroom, let last = nodes.lastIndex(where: present.contains) else { return [] }
        return nodes[...last].filter { !present.contains($0) }
    }

    /// Whether its texts say where cameras stand: COLMAP is told of two or more.
    func isPosed(_ geometry: RigGeometry?) -> Bool {
        layout.carriesPoses && poses(geometry).count > (layout == .colmap ? 1 : 0)
    }

    /// Whether a lens, as it is known, is that of a node's pictures here.
    func fits(_ lens: CameraIntrinsics, _ node: NodeName) -> Bool {
        files.lazy.filter { $0.node == node }.allSatisfy {
            $0.widthPixels == lens.dimensions.width && $0.heightPixels == lens.dimensions.height
        }
    }

    /// Whether it can be one that was written here: it names places to write to.
    var isSound: Bool {
        let all = files + pending
        func isHash(_ text: String) -> Bool { text.wholeMatch(of: #/[0-9a-f]{64}/#) != nil }
        return Set(files.map(\.path)).count == files.count && Set(nodes).count == nodes.count
            && Set(shots).count == shots.count
            && all.allSatisfy { file in
                PathRules.objection(to: file.path) == nil && file.step >= 0 && file.byteCount >= 0
                    && isHash(file.sha256) && isHash(file.originalSHA256 ?? file.sha256)
                    && (file.verification ?? "").allSatisfy(\.isLetter)
            }
            && (merged ?? [:]).allSatisfy { PathRules.objection(to: $0.key) == nil && isHash($0.value.sha256) }
    }

    /// Texts that go with the photos, by their paths: for everything that the export holds.
    ///
    /// - Parameter geometry: where the cameras stand; nil where that is not known.
    func texts(_ geometry: RigGeometry?) -> [String: String] {
        switch layout {
        case .colmap: ["rig_config.json": COLMAPLayout.rigConfiguration(self, poses(geometry))]
        case .metashape: ["metashape_import.py": MetashapeLayout.script]
        case .realityscan: RealityScanLayout.sidecars(self, poses(geometry))
        case .hdr: HDRLayout.tables(self)
        case .meshroom, .odm, .files: [:]
        }
    }
}
