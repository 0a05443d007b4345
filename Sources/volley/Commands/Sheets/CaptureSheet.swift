import CaptureModel
import ContactSheet
import Foundation
import PhotoExport
import PhotoRetrieval
import Programs
import RigTransport

/// The contact sheet of a capture.
struct CaptureSheet {
    /// The most photos on a page.
    private static let mostPhotos = 3000

    let uniqueID: UniqueID
    private let jpeg: [UInt8]

    /// Draws it; photos that are on another machine are fetched for as long as that takes.
    init(_ choice: SheetChoice, _ answers: Answers) async throws {
        let capture = try await answers.capture(choice.capture)
        uniqueID = capture.summary.uniqueID
        let work = FileManager.default.temporaryDirectory.appendingPathComponent("volley-sheet-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: work) }
        let photos = Self.places(of: capture, steps: choice.steps, nodes: choice.nodes)
        guard !photos.isEmpty else {
            let isNode =
                choice.nodes.isEmpty
                || capture.nodes.contains { node in choice.nodes.contains { $0.matches(node.node) } }
            throw ExportPlan.Problem(
                message: isNode
                    ? "Capture \(uniqueID) has \(Sentences.count(capture.stepCount, "step")) only."
                    : "No such node took part in capture \(uniqueID), but \(capture.nodes.map(\.node).folded).")
        }
        guard photos.count <= Self.mostPhotos else {
            throw ExportPlan.Problem(message: "These are \(photos.count) photos; choose some by --step or --node.")
        }
        let paths = try await Self.paths(photos.compactMap(\.photo), of: capture, work, answers)
        jpeg = try Self.sheet(photos, of: capture, paths).jpeg()
    }

    /// Of a catalogue on this machine, as the demo has it.
    init(_ capture: CaptureDetail, library: String) throws {
        uniqueID = capture.summary.uniqueID
        let photos = Self.places(of: capture)
        let paths = photos.compactMap(\.photo).compactMap { photo in photo.path.map { (photo, "\(library)/\($0)") } }
        jpeg = try Self.sheet(photos, of: capture, Dictionary(paths) { first, _ in first }).jpeg()
    }

    func write(to path: String) throws { try OutputFile.write(jpeg, to: path) }

    /// A place on the page.
    private struct Place {
        let node: CaptureNodeDetail
        let step: Int
        /// The one that is seen, of several formats the one that is read fastest; nil where there is none.
        let photo: StoredPhoto?
    }

    private static func places(
        of capture: CaptureDetail, steps: [Int] = [], nodes: [NodePattern] = []
    ) -> [Place] {
        let photos = Dictionary(grouping: capture.photos) { "\($0.node) \(max(1, $0.record.sequenceCount))" }
        let count = capture.stepCount
        let wanted = steps.isEmpty ? Array(1...count) : Set(steps).filter { $0 <= count }.sorted()
        let chosen = capture.nodes.sorted { $0.node.precedes($1.node) }
            .filter { node in nodes.isEmpty || nodes.contains { $0.matches(node.node) } }
        return chosen.flatMap { node in
            wanted.map { step in
                let found = photos["\(node.node) \(step)"] ?? []
                let best = PhotoFormat.allCases.lazy.compactMap { format in
                    found.first { $0.record.format == format && $0.path != nil }
                }.first
                return Place(node: node, step: step, photo: best ?? found.first)
            }
        }
    }

    /// Where the photos are, or are brought to.
    private static func paths(
        _ photos: [StoredPhoto], of capture: CaptureDetail, _ work: String, _ answers: Answers
    ) async throws -> [StoredPhoto: String] {
        let stored = photos.filter { $0.path != nil }
        switch answers {
        case .catalogue(_, let library):
            return Dictionary(uniqueKeysWithValues: stored.map { ($0, "\(library)/\($0.path ?? "")") })
        case .coordinator(let client):
            var filter = PhotoFilter()
            (filter.captures.digits, filter.states, filter.limit) = ("\(capture.summary.uniqueID)", [.stored], 0)
            let wanted = Set(stored)
            let found = try await answers.allPhotos(filter).filter { wanted.contains($0.photo) }
            var (paths, bar) = ([StoredPhoto: String](), ProgressBar())
            defer { bar.finish() }
            var done = 0
            try await PhotoFetch(client: client, folder: work).fetch(found) { photo, outcome in
                done += 1
                bar.show(done, of: found.count, "fetched")
                if case .failed = outcome { return }
                paths[photo.photo] = PhotoFetch.path(of: photo, in: work)
            }
            return paths
        }
    }

    private static func sheet(
        _ places: [Place], of capture: CaptureDetail, _ paths: [StoredPhoto: String]
    ) -> ContactSheet {
        let summary = capture.summary
        let setting = Sentences.setting(summary)
        let outcome = Sentences.outcome(summary).split(separator: "\n").map(String.init)
        let title =
            ["Capture \(summary.uniqueID)" + (setting.isEmpty ? "" : "  \(setting)")]
            + ["Plan \(summary.planName), \(Sentences.zonedTime(summary.createdAt)), \(outcome.first ?? "")"]
            + outcome.dropFirst()
            + spread(capture.spreads.filter { spread in places.contains { $0.step == spread.sequenceCount } })
        let byNode = Dictionary(grouping: places) { $0.node.node }
        let rows = byNode.sorted { $0.key.precedes($1.key) }.map { node, places in
            ContactSheet.Row(name: node.rawValue, cells: places.map { cell($0, paths) })
        }
        return ContactSheet(title: title.map(\.printableLine), rows: rows)
    }

    /// How far apart the nodes of the capture began, at worst; empty where that is not known.
    private static func spread(_ spreads: [StepSpread]) -> [String] {
        guard let most = spreads.max(by: { $0.spreadNanoseconds < $1.spreadNanoseconds }) else { return [] }
        let (spread, bound) = (
            Sentences.milliseconds(most.spreadNanoseconds), Sentences.milliseconds(most.uncertaintyNanoseconds)
        )
        return ["The nodes began within \(spread) of each other, known to within \(bound)"]
    }

    private static func cell(_ place: Place, _ paths: [StoredPhoto: String]) -> ContactSheet.Cell {
        guard let photo = place.photo, photo.state == .stored else {
            let state = place.photo?.state
            let reason = place.photo?.record.error?.message ?? place.node.reason
            let word = state == .deleted ? "deleted" : state == .failed ? "failed" : "missing"
            return ContactSheet.Cell(photo: nil, caption: word + (reason.map { ": \($0)" } ?? ""), mark: .loss)
        }
        let record = photo.record
        var words = Sentences.exposure(of: record)
        var mark = ContactSheet.Cell.Mark.none
        if record.verification == .mismatch {
            let asked = Sentences.exposure(
                record.requested.duration, record.requested.iso, record.requested.gain)
            (words, mark) = ("\(words), asked \(asked)", .doubt)
        }
        if photo.isRejected == true { (words, mark) = ("\(words), rejected", .doubt) }
        if let rating = photo.rating { words += "  " + String(repeating: "★", count: rating) }
        guard let path = paths[photo] else {
            return ContactSheet.Cell(photo: nil, caption: "could not be fetched", mark: .loss)
        }
        return ContactSheet.Cell(photo: (path, record.format), caption: words.printableLine, mark: mark)
    }
}
