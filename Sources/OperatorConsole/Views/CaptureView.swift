import CaptureModel
import Foundation
import PhotoExport
import Programs

/// A capture as nodes by steps, with what was exposed how, and what happened when.
struct CaptureView {
    struct Rating {
        let value: String
        let isChosen: Bool
    }

    struct Fact {
        let name, value: String
    }

    struct Field {
        /// What the catalogue had when somebody began to type.
        let was: String
        /// The same, or what was typed in its place.
        let value: String

        fileprivate init(_ now: String?, _ name: String, _ typed: Query?) {
            func text(_ name: String) -> String? {
                typed?.has(name) == true ? typed?.all(name).joined(separator: "\n") : nil
            }
            // What somebody else changed meanwhile is not changed back.
            was = text("was-\(name)") ?? now ?? ""
            value = text(name) ?? was
        }
    }

    struct Node {
        let name, state: String
        /// Not `reason`: where it is nil, the template would take the capture's.
        let remark: String?
        let cells: [Cell]
    }

    struct Cell {
        let node, step, state, caption: String
        let address: String?
        let isDoubtful: Bool
    }

    struct ExposureRow {
        let node, step, format, asked, applied, verified, finding, started: String
        let address: String?
        let isDoubtful: Bool
    }

    struct SpreadRow {
        let step, nodes, spread, bound: String
    }

    struct EventRow {
        let node, number, kind, time, remark: String
    }

    let title: String
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    let id, state, outcome: String
    let ratings: [Rating]
    let isRejected, isOver: Bool
    /// What is to be known before the shutter; nil where it does not wait for that.
    let armed: String?
    /// Why nodes will not take part, a line each.
    let absent: [String]
    let hasAbsent: Bool
    /// Whether somebody has just armed it, so that the keyboard is at the shutter.
    let isAtShutter: Bool
    /// Of the fields in which something is said of it.
    let note, session, subject, labels: Field
    /// Why what was wanted of it was not done.
    let refusal: String?
    /// Whether the fields that are folded away are to be seen.
    let isSettingOpen: Bool
    let reason: String?
    let facts: [Fact]
    /// Whether the library has any of its photos.
    let hasPhotos: Bool
    let layouts = ExportLayout.offered
    /// How many exposures each node has at most.
    let stepCount: String
    let nodes: [Node]
    let exposures: [ExposureRow]
    let spreads: [SpreadRow]
    let hasSpreads: Bool
    let events: [EventRow]
    /// SVG; nil where nothing is known.
    let exposurePlot, spreadPlot, eventPlot: String?

    /// - Parameters:
    ///   - armed: what is to be known before the shutter; nil where it does not wait for that.
    ///   - isAtShutter: whether somebody has just armed it.
    ///   - refused: why what was wanted of it was not done, with what was sent.
    ///   - news: after which number news is news.
    init(
        _ capture: CaptureDetail, armed: String?, isAtShutter: Bool = false,
        refused: (error: ConsoleError, form: Query)? = nil, news: Int64?
    ) {
        self.news = news
        let summary = capture.summary
        (id, title) = ("\(summary.uniqueID)", "Capture \(summary.uniqueID)")
        ratings = Self.ratings(summary.rating)
        isRejected = summary.isRejected == true
        (note, session) = (
            Field(summary.note, "note", refused?.form), Field(summary.session, "session", refused?.form)
        )
        subject = Field(summary.subject, "subject", refused?.form)
        labels = Field(Self.lines(summary.labels), "labels", refused?.form)
        (refusal, isSettingOpen) = (refused?.error.message.printableLine, refused?.form.has("labels") == true)
        isOver = summary.state.isFinal
        self.armed = armed
        let reasons = capture.nodes.compactMap { node in node.reason.map { (node.node, $0) } }
        absent = FoldedReasons.lines(Dictionary(reasons) { first, _ in first }).map(\.printableLine)
        (hasAbsent, self.isAtShutter) = (!absent.isEmpty, isAtShutter)
        (state, reason) = (summary.state.rawValue, summary.reason?.printableLine)
        outcome = Sentences.outcome(summary).split(separator: "\n").first.map(String.init) ?? ""
        facts = Self.facts(capture)
        hasPhotos = capture.photos.contains { $0.path != nil }
        stepCount = "\(capture.photos.map(\.record.sequenceCount).max().map { max(1, $0) } ?? 1)"
        let photos = Dictionary(grouping: capture.photos) { $0.node }
        nodes = capture.nodes.sorted { $0.node.precedes($1.node) }.map { node in
            Node(
                name: node.node.rawValue, state: node.state.rawValue, remark: node.reason?.printableLine,
                cells: Self.cells(photos[node.node] ?? [], summary.uniqueID))
        }
        exposures = capture.photosInOrder.map { Self.exposure($0, capture) }
        spreads = capture.spreads.map { spread in
            SpreadRow(
                step: "\(spread.sequenceCount)", nodes: "\(spread.nodeCount)",
                spread: Sentences.milliseconds(spread.spreadNanoseconds),
                bound: Sentences.milliseconds(spread.uncertaintyNanoseconds))
        }
        hasSpreads = !spreads.isEmpty
        exposurePlot = Plot(exposuresOf: capture).svg
        spreadPlot = Plot(spreadOf: capture).svg
        eventPlot = Plot(eventsOf: capture).svg
        events = capture.events.map { Self.event($0, capture.fireRigTime) }
    }

    private static func facts(_ capture: CaptureDetail) -> [Fact] {
        let summary = capture.summary
        let facts: [(String, String?)] = [
            ("Plan", summary.planName), ("Policy", capture.policy), ("Session", summary.session),
            ("Subject", summary.subject), ("Take", summary.take.map { "\($0)" }),
            ("Labels", Sentences.labels(summary)), ("Fired by", summary.firedBy?.rawValue),
            ("Created (UTC)", "\(summary.createdAt.day) \(summary.createdAt.timeOfDay)"),
            ("Rating", Sentences.opinion(summary.rating, summary.isRejected)), ("Note", summary.note),
            ("Cancelled by", capture.cancelledBy?.rawValue),
        ]
        return facts.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : Fact(name: name, value: $0.printableLine) }
        }
    }

    /// Where a photo's file is, if the library has it.
    private static func address(_ photo: StoredPhoto, of id: UniqueID) -> String? {
        photo.path.map { _ in photo.address(of: id) }
    }

    /// Labels as people type them.
    static func lines(_ labels: [String: String]) -> String {
        labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "\n")
    }

    static func ratings(_ chosen: Int?) -> [Rating] {
        (1...5).map { (number: Int) in Rating(value: "\(number)", isChosen: chosen == number) }
    }

    /// One for each step: of several formats, the one that a browser reads.
    private static func cells(_ photos: [StoredPhoto], _ id: UniqueID) -> [Cell] {
        let steps = Dictionary(grouping: photos) { max(1, $0.record.sequenceCount) }
        return steps.sorted { $0.key < $1.key }.compactMap { step, photos in
            guard let photo = photos.first(where: { $0.record.format == .jpeg && $0.path != nil }) ?? photos.first
            else { return nil }
            let record = photo.record
            let words = Sentences.exposure(of: record)
            let opinion = Sentences.opinion(photo.rating, photo.isRejected)
            return Cell(
                node: photo.node.rawValue, step: "\(step)", state: photo.state.rawValue,
                caption: [words, opinion, record.error?.message ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
                    .printableLine,
                address: address(photo, of: id), isDoubtful: record.verification == .mismatch)
        }
    }

    private static func exposure(_ photo: StoredPhoto, _ capture: CaptureDetail) -> ExposureRow {
        let record = photo.record
        let started = record.exposureStartRigTime.flatMap { start in
            capture.fireRigTime.map { Sentences.milliseconds(start.nanoseconds - $0.nanoseconds) }
        }
        let bound = record.exposureStartUncertaintyNanoseconds.map { " ±\(Sentences.milliseconds($0))" } ?? ""
        return ExposureRow(
            node: photo.node.rawValue, step: "\(max(1, record.sequenceCount))", format: record.format.rawValue,
            asked: Sentences.exposure(record.requested.duration, record.requested.iso, record.requested.gain),
            applied: Sentences.exposure(record.applied?.duration, record.applied?.iso, record.applied?.gain),
            verified: Sentences.exposure(record.verified?.duration, record.verified?.iso, record.verified?.gain),
            finding: record.error?.message.printableLine ?? record.verification?.name ?? photo.state.rawValue,
            started: started.map { $0 + bound } ?? "", address: address(photo, of: capture.summary.uniqueID),
            isDoubtful: record.verification == .mismatch || record.error != nil)
    }

    private static func event(_ event: NodeEvent, _ shutter: RigTime?) -> EventRow {
        let time = event.rigTime.flatMap { time in
            shutter.map { Sentences.milliseconds(time.nanoseconds - $0.nanoseconds) }
        }
        let step = event.sequenceCount.map { "step \($0)" }
        return EventRow(
            node: event.node.rawValue, number: "\(event.sequence)", kind: event.kind.rawValue, time: time ?? "",
            remark: [step, event.error?.message].compactMap(\.self).joined(separator: ": ").printableLine)
    }
}
