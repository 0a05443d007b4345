import CaptureModel
import PhotoExport
import Programs

/// The photos that are to be exported, and what their captures lack.
struct ExportOrder {
    /// Where those go that are fetched from another machine.
    let originals: String
    private(set) var photos: [ExportPhoto] = []
    /// The same, as they are fetched.
    private(set) var found: [FoundPhoto] = []
    /// In words, a line for each thing that is missing.
    private(set) var gaps: [String] = []

    /// Asks for them.
    init(_ choice: PhotoChoice, _ answers: Answers, folder: String) async throws {
        originals = folder + "/originals"
        var filter = try await choice.filter(answers)
        (filter.states, filter.limit) = ([.stored], 0)
        for id in try await answers.allCaptures(filter.captures) {
            filter.captures.digits = id.description
            let photos = try await answers.allPhotos(filter)
            guard let reference = CaptureReference(argument: id.description) else { continue }
            add(photos, of: try await answers.capture(reference), library: answers.library, filter)
        }
        if choice.formats.isEmpty { keepOneFormat() }
    }

    private mutating func add(
        _ found: [FoundPhoto], of detail: CaptureDetail, library: String?, _ filter: PhotoFilter
    ) {
        let cameras = Dictionary(detail.nodes.map { ($0.node, $0.camera) }) { first, _ in first }
        for photo in found {
            let home = LibraryPath.photo(photo.id, photo.photo.record.slot, createdAt: photo.createdAt)
            let source =
                library.flatMap { library in photo.photo.path.map { "\(library)/\($0)" } }
                ?? "\(originals)/\(home.dropFirst("photos/".count))"
            guard
                let item = ExportPhoto(
                    photo.photo, of: detail.summary, plan: detail.plan, camera: cameras[photo.photo.node] ?? nil,
                    source: source)
            else { continue }
            photos.append(item)
            self.found.append(photo)
        }
        noteGaps(found, detail, filter)
    }

    /// Names the nodes that have no photo of a step.
    private mutating func noteGaps(_ found: [FoundPhoto], _ detail: CaptureDetail, _ filter: PhotoFilter) {
        let id = detail.summary.uniqueID
        if !detail.summary.state.isFinal {
            gaps.append("Capture \(id) is still under way; the same command adds what comes.")
        }
        let stepCount = detail.plan?.bracket.count ?? 1
        let steps = filter.steps.isEmpty ? Array(1...stepCount) : filter.steps.filter { $0 <= stepCount }
        let there = Dictionary(grouping: found) { $0.photo.node }
        var lacking: [NodeName: String] = [:]
        for node in detail.nodes
        where filter.nodes.isEmpty || filter.nodes.contains(where: { $0.matches(node.node) }) {
            let has = Set(there[node.node, default: []].map { max(1, $0.photo.record.sequenceCount) })
            let missing = steps.filter { !has.contains($0) }
            guard !missing.isEmpty else { continue }
            let which =
                missing.count == stepCount
                ? "no photo" : "no photo of step \(missing.map(String.init).joined(separator: ", "))"
            lacking[node.node] = which + (node.reason.map { ": \($0)" } ?? "")
        }
        gaps += FoldedReasons.lines(lacking).map { "Capture \(id) has from \($0)" }
    }

    /// Of photos in several formats, those in the first that every program reads.
    private mutating func keepOneFormat() {
        let formats = Set(photos.map { $0.photo.record.format })
        guard formats.count > 1, let format = [PhotoFormat.jpeg, .tiff, .dng].first(where: formats.contains) else {
            return
        }
        photos.removeAll { $0.photo.record.format != format }
        found.removeAll { $0.photo.record.format != format }
    }

    func tellGaps() {
        let mostTold = 20
        for gap in gaps.prefix(mostTold) { Output.words(gap.printableLine) }
        if gaps.count > mostTold { Output.words("And \(gaps.count - mostTold) more (--json lists them).") }
    }
}
