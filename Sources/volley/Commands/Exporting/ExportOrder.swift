import CaptureModel
import PhotoExport
import PhotoRetrieval
import Programs

/// The photos that are to be exported, and what their captures lack.
struct ExportOrder {
    /// Where they are to be exported.
    let folder: String
    /// Where those go that are fetched from another machine.
    var originals: String { folder + "/originals" }
    /// What all photos are; nil for several formats.
    private(set) var format: PhotoFormat?
    private(set) var photos: [ExportPhoto] = []
    /// The same, as they are fetched.
    private(set) var found: [FoundPhoto] = []
    /// Brackets that cannot be merged, and why.
    private(set) var unmerged: [String] = []
    /// In words, a line for each thing that is missing.
    private(set) var gaps: [String] = []
    private var details: [CaptureDetail] = []
    private let isMerged: Bool
    /// When its captures were fired.
    var fired: [UniqueID: UTCTime] {
        Dictionary(details.map { ($0.summary.uniqueID, $0.firedAt) }) { first, _ in first }
    }

    /// Asks for them.
    ///
    /// - Parameters:
    ///   - former: what the folder holds.
    ///   - merged: whether brackets are exported instead of their photos.
    init(
        _ photos: PhotoFilter, _ answers: Answers, folder: String, adding former: ExportManifest, merged: Bool = false
    ) async throws {
        (self.folder, isMerged) = (folder, merged)
        var filter = photos
        (filter.states, filter.limit) = ([.stored], 0)
        for id in try await answers.allCaptures(filter.captures) {
            filter.captures.digits = id.description
            guard let reference = CaptureReference(argument: id.description) else { continue }
            let detail = try await answers.capture(reference)
            details.append(detail)
            add(try await answers.allPhotos(filter), of: detail, library: answers.library)
        }
        if merged || former.layout != .files {
            format = merged ? .jpeg : filter.formats.first ?? former.format ?? self.photos.commonFormat
            self.photos.removeAll { $0.photo.record.format != format }
            found.removeAll { $0.photo.record.format != format }
        }
        for detail in details { noteGaps(detail, filter) }
        if merged { merge() }
    }

    /// Takes brackets for their photos, and names those that lack some.
    private mutating func merge() {
        photos = photos.merged(in: originals + "/merged")
        unmerged = photos.compactMap(BracketFusion.objection)
        photos.removeAll { BracketFusion.objection(to: $0) != nil }
        for detail in details {
            let id = detail.summary.uniqueID
            let count = detail.stepCount
            let partly = photos.filter { $0.id.uniqueID == id && $0.merges.count < count }.map(\.node)
            if !partly.isEmpty {
                gaps.append("Capture \(id) has brackets of which not all photos are merged: \(partly.folded)")
            }
        }
    }

    private mutating func add(_ found: [FoundPhoto], of detail: CaptureDetail, library: String?) {
        let cameras = Dictionary(detail.nodes.map { ($0.node, $0.camera) }) { first, _ in first }
        let identities = detail.nodes.cameraIdentities
        for photo in found {
            let source =
                library.flatMap { library in photo.photo.path.map { "\(library)/\($0)" } }
                ?? PhotoFetch.path(of: photo, in: originals)
            guard
                let item = ExportPhoto(
                    photo.photo, of: detail, camera: cameras[photo.photo.node] ?? nil,
                    identity: identities[photo.photo.node], source: source)
            else { continue }
            photos.append(item)
            self.found.append(photo)
        }
    }

    /// Names the nodes that have no photo of a step, whatever people think of those that they have.
    private mutating func noteGaps(_ detail: CaptureDetail, _ filter: PhotoFilter) {
        let id = detail.summary.uniqueID
        if !detail.summary.state.isFinal {
            gaps.append("Capture \(id) is still under way; the same command adds what comes.")
        }
        // Nothing is missing of what is still to be fired, or was cancelled before it was.
        if [.preparing, .cancelled].contains(detail.summary.state), detail.summary.storedPhotoCount == 0 { return }
        let wanted = format.map { [$0] } ?? filter.formats
        let stored = detail.photos.filter {
            $0.path != nil && (wanted.isEmpty || wanted.contains($0.record.format))
        }
        let stepCount = detail.stepCount
        let steps = filter.steps.isEmpty ? Array(1...stepCount) : filter.steps.filter { $0 <= stepCount }
        let there = Dictionary(grouping: stored) { $0.node }
        let kind = format.map { $0.rawValue.uppercased() } ?? "photo"
        var lacking: [NodeName: String] = [:]
        for node in detail.nodes
        where filter.nodes.isEmpty || filter.nodes.contains(where: { $0.matches(node.node) }) {
            let has = Set(there[node.node, default: []].map { max(1, $0.record.sequenceCount) })
            let missing = steps.filter { !has.contains($0) }
            guard !missing.isEmpty else { continue }
            let numbers = missing.map(String.init).joined(separator: ", ")
            let which = missing.count == stepCount ? "no \(kind)" : "no \(kind) of step \(numbers)"
            lacking[node.node] = which + (node.reason.map { ": \($0)" } ?? "")
        }
        gaps += FoldedReasons.lines(lacking).map { "Capture \(id) lacks photos: \($0)" }
    }

    /// Why there is no photo.
    func emptiness(_ filter: PhotoFilter, _ answers: Answers) async throws -> String {
        if !unmerged.isEmpty { return "No bracket can be merged." }
        if isMerged, details.contains(where: { $0.summary.storedPhotoCount > 0 }) {
            return "--merge takes JPEGs, and there are none like that."
        }
        return try await answers.absence(of: filter, in: details)
    }

    /// How many exposures of one bracket there are, at most.
    var exposuresOfBracket: Int {
        let brackets = Dictionary(grouping: photos) { "\($0.id.uniqueID) \($0.node)" }
        return brackets.values.filter(BracketFusion.isOfExposures).map { Set($0.map(\.shot)).count }.max() ?? 0
    }

    func tellGaps() {
        let mostTold = 20
        for gap in gaps.prefix(mostTold) { Output.words(gap.printableLine) }
        if gaps.count > mostTold { Output.words("And \(gaps.count - mostTold) more (--json lists them).") }
    }
}
