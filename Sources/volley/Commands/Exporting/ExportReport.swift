import CaptureModel
import PhotoExport
import Programs

/// What became of an export, which is its JSON document as well.
struct ExportReport: Encodable {
    let folder: String
    let layout: ExportLayout
    /// Originals that are linked.
    var linkedPhotos = 0
    /// Those that were copied, with tags added where the layout needs them.
    var copiedPhotos = 0
    /// Those that were there already.
    var presentPhotos = 0
    /// What captures lack, in words.
    var gaps: [String] = []
    var failures: [PhotoFailure] = []
    /// Texts beside the photos that somebody has changed, and that were left as they are.
    var changed: [String] = []
    /// Brackets that could not be merged, and why.
    var unmerged: [String] = []
    /// Brackets that are merged, of `--to hdr --merge`.
    var mergedBrackets = 0
    /// The version of the rig's geometry whose poses the folder carries now; nil for none.
    var geometryVersion: Int?
    /// How many photos of each capture are new.
    private(set) var newPhotos: [UniqueID: Int] = [:]
    /// What `--dry-run` would make.
    private var paths: [String]?

    private enum CodingKeys: String, CodingKey {
        case folder, layout, linkedPhotos, copiedPhotos, presentPhotos, gaps, failures, changed, unmerged, paths
        case mergedBrackets, geometryVersion
    }

    init(_ folder: String, _ layout: ExportLayout) { (self.folder, self.layout) = (folder, layout) }

    /// How many photos are dealt with.
    var count: Int { linkedPhotos + copiedPhotos + presentPhotos + failures.count }

    mutating func note(_ photo: ExportPhoto, _ outcome: Exporter.Outcome) {
        switch outcome {
        case .linked:
            linkedPhotos += 1
            newPhotos[photo.id.uniqueID, default: 0] += 1
        case .copied:
            copiedPhotos += 1
            newPhotos[photo.id.uniqueID, default: 0] += 1
        case .present: presentPhotos += 1
        case .failed(let message): fail(photo.id, message)
        }
    }

    mutating func fail(_ id: PhotoID, _ message: String) {
        failures.append(PhotoFailure(id, message))
    }

    /// Whether it could not even be fetched.
    func hasFailed(_ photo: ExportPhoto) -> Bool {
        failures.contains {
            $0.uniqueID == photo.id.uniqueID && $0.node == photo.id.node && $0.photoCount == photo.id.photoCount
        }
    }

    func planned(_ plan: ExportPlan) -> ExportReport {
        var report = self
        report.paths = plan.entries.map(\.path)
        return report
    }

    var words: String {
        let made = linkedPhotos + copiedPhotos
        let present = presentPhotos > 0 ? ", \(presentPhotos) were there already" : ""
        let copied = copiedPhotos > 0 && linkedPhotos > 0 ? " (\(copiedPhotos) of them copied)" : ""
        let merged = mergedBrackets > 0 ? ", \(Sentences.count(mergedBrackets, "bracket")) merged" : ""
        let poses = geometryVersion.map { ", with the poses of version \($0)" } ?? ""
        return "\(Sentences.count(made, "photo")) exported\(copied)\(present)\(merged)\(poses): \(folder)"
    }
}
