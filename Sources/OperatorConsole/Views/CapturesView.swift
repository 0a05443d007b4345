import CaptureModel
import PhotoExport
import Programs

/// The table of captures.
struct CapturesView {
    struct Field {
        let name, label, value: String
        var placeholder: String?
    }

    struct Choice {
        struct Option {
            let value: String
            let isChosen: Bool
        }

        let name, label: String
        let options: [Option]

        init(_ name: String, _ label: String, _ values: [String], _ query: Query) {
            (self.name, self.label) = (name, label)
            options = values.map { Option(value: $0, isChosen: query.text(name) == $0) }
        }
    }

    struct Row {
        let id, time, state, photos, spread, plan, setting, `operator`, opinion: String
        let labels, reason: String?
        let hasPicture: Bool

        init(_ capture: CaptureSummary) {
            id = "\(capture.uniqueID)"
            time = "\(capture.createdAt.day) \(capture.createdAt.timeOfDay)"
            state = capture.state.rawValue
            photos = Sentences.photos(capture)
            spread = capture.widestSpreadNanoseconds.map(Sentences.milliseconds) ?? ""
            plan = capture.planName.printableLine
            setting = Sentences.setting(capture).printableLine
            labels = capture.labels.isEmpty ? nil : Sentences.labels(capture).printableLine
            `operator` = capture.firedBy?.rawValue ?? ""
            opinion = Sentences.opinion(capture.rating, capture.isRejected)
            reason = capture.reason?.printableLine
            hasPicture = capture.storedPhotoCount > 0
        }
    }

    /// The page's size where nobody asks for another.
    static let rowCount = 50

    let title = "Captures"
    let isInside = true
    let fields: [Field]
    let choices: [Choice]
    /// What the form does not show, and still asks for.
    let hidden: [Field]
    /// The number of the last news that the page already shows.
    let news: Int64?
    let remarks: [String]
    /// Why nothing was looked for; nil where it was.
    let refusal: String?
    let count: String
    let rows: [Row]
    let hasRows: Bool
    /// Where the photos of these captures and of older ones like them are; nil where there are none, or too many.
    let download: String?
    /// The same as fields of a form.
    let exported: [Field]
    let layouts = ExportLayout.offered
    /// The address of the next page; nil on the last.
    let older: String?

    /// Without captures.
    ///
    /// - Parameter refused: why the question has no answer.
    init(_ query: Query, refused: ConsoleError, news: Int64?) {
        self.init(Found(items: [], matchCount: 0, remarks: []), query, refused, news: news)
    }

    /// - Parameter news: after which number news is news.
    init(_ found: Found<CaptureSummary>, _ query: Query, _ refused: ConsoleError? = nil, news: Int64?) {
        (self.news, refusal) = (news, refused?.message.printableLine)
        let others = ["error", "rejected", "limit"].flatMap { name in query.all(name).map { (name, $0) } }
        hidden = (others + query.all("label").dropFirst().map { ("label", $0) }).map {
            Field(name: $0, label: "", value: $1)
        }
        fields = [
            ("session", "Session", nil), ("subject", "Subject", nil), ("label", "Label", "key=value"),
            ("node", "Node", "top-*"), ("plan", "Plan", nil), ("operator", "Operator", nil),
            ("reason", "Failure", "words of it"), ("minSpread", "Spread from, ms", nil),
            ("since", "Since", "1h, 2026-11-27"), ("until", "Until", nil), ("camera", "Camera", nil),
            ("id", "Number of the capture", "its last digits"),
        ].map { Field(name: $0, label: $1, value: query.text($0) ?? "", placeholder: $2) }
        choices = [
            Choice("state", "State", CaptureState.allCases.map(\.rawValue), query),
            Choice("verification", "Verification", ["verified", "mismatch", "unverifiable"], query),
            Choice("minRating", "Rating from", (1...5).map { "\($0)" }, query),
            Choice("order", "Order", CaptureFilter.Order.allCases.map(\.rawValue), query),
        ]
        remarks = found.remarks.map(\.printableLine)
        rows = found.items.map(Row.init)
        hasRows = !rows.isEmpty
        let all =
            found.matchCount < Found<CaptureSummary>.mostCounted ? "\(found.matchCount)" : "\(found.matchCount) or more"
        count =
            refused != nil ? "" : rows.isEmpty ? "No capture matches." : "\(rows.count) of \(all)"
        download =
            hasRows && found.matchCount <= CaptureFilter.mostCaptures
            ? query.without(["limit"]).address("/photos.zip") : nil
        exported = query.without(["limit"]).fields.map { Field(name: $0.name, label: "", value: $0.value) }
        let isByTime = query.text("order").map { $0 == CaptureFilter.Order.newest.rawValue } ?? true
        older =
            isByTime && found.matchCount > rows.count
            ? found.items.last.map { query.address("/", with: "until", "\($0.createdAt.rawValue)") } : nil
    }
}
