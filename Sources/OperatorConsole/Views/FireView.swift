import CaptureModel
import Documents
import Foundation
import OperatorAccess
import Programs
import RigProtocol

/// The form for a capture, and what the rig has against it.
struct FireView {
    private static let example = """
        name: hdr-3
        bracket:
          autoExposure: [-2, 0, 2]
        formats: [jpeg]
        """

    /// What there is to choose from.
    struct Choices {
        /// Of the rig's configuration.
        var groups: [String] = []
        /// Of the library of plans.
        var plans: [String] = []
        /// In order.
        var nodes: [NodeName] = []
        /// What is still to be fired.
        var pending: [PendingReply.Capture] = []
        /// What became of the captures of series, by their numbers.
        var losses: [Int: String] = [:]
    }

    /// What a node sees, and what it has against the plan.
    struct Tile {
        let name: String
        fileprivate(set) var objection: String?
    }

    struct Group {
        let name: String
        let isChosen: Bool
    }

    /// A series since the console's start.
    struct SeriesRow {
        let number, name, address, standing: String
        let remark: String?
        let isUnderWay: Bool

        /// - Parameter losses: what became of its captures, where they are not complete; nil where that is not known.
        init(_ standing: SeriesDesk.Standing, losses: String?) {
            (number, name) = ("\(standing.number)", standing.series.name.printableLine)
            address = Query.empty.address("/", with: "label", "\(CaptureSeries.label)=\(standing.series.name)")
            let state =
                switch standing.state {
                case .underWay: "under way"
                case .stopped: "stopped"
                case .over: "over"
                }
            self.standing =
                "\(state): \(standing.captures.count) of \(Sentences.count(standing.series.count, "capture")) fired"
                + (standing.series.start > .now
                    ? ", from \(standing.series.start.day) \(standing.series.start.timeOfDay) UTC on" : "")
                + (standing.captures.count < standing.reached ? ", \(standing.reached) asked for" : "")
                + (losses.map { ", \($0)" } ?? "")
            (remark, isUnderWay) = (standing.remarks.last, standing.state == .underWay)
        }
    }

    let title = "Fire"
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    var plan = FireView.example { didSet { isExample = plan == Self.example } }
    /// Whether nobody wrote the plan, so that what is built may take its place.
    private(set) var isExample: Bool
    private(set) var nodes = "", session = "", subject = "", labels = "", at = "", every = "", count = ""
    private(set) var isQueued = false
    let groups: [Group]
    let hasGroups: Bool
    let plans: [String]
    let hasPlans: Bool
    private(set) var tiles: [Tile]
    /// What is still to be fired, in the order in which it was asked for.
    let pending: [PendingRow]
    let hasPending: Bool
    /// Those under way, and those that are not, the newest first.
    let series, formerSeries: [SeriesRow]
    let hasSeries, hasFormerSeries: Bool
    /// The same form, sent twice, is one capture; whoever has an answer and sends it anew wants another.
    var requestID = UUID().uuidString
    private(set) var verdict: String?
    private(set) var details: [String] = []
    private(set) var hasDetails = false
    private(set) var isRefused = false
    /// Why what was pressed was not done; it stays while the plan is checked.
    private(set) var refusal: String?

    /// - Parameter isPending: whether the form may have been done, so that it is to be the same request again.
    init(
        _ form: Query, _ choices: Choices, _ standings: [SeriesDesk.Standing], isPending: Bool = false, news: Int64?
    ) {
        let rows = standings.map { SeriesRow($0, losses: choices.losses[$0.number]) }
        (series, formerSeries) = (rows.filter(\.isUnderWay), rows.filter { !$0.isUnderWay })
        (hasSeries, hasFormerSeries) = (!series.isEmpty, !formerSeries.isEmpty)
        pending = choices.pending.map(PendingRow.init)
        hasPending = !pending.isEmpty
        self.news = news
        // Browsers end lines as networks do.
        if form.has("plan") { plan = (form.text("plan") ?? "").replacing("\r\n", with: "\n") }
        isExample = plan == Self.example
        (nodes, isQueued) = (form.text("nodes") ?? "", form.has("queue"))
        (session, subject) = (form.text("session") ?? "", form.text("subject") ?? "")
        (labels, at) = (form.text("labels") ?? "", form.text("at") ?? "")
        (every, count) = (form.text("every") ?? "", form.text("count") ?? "")
        if isPending { requestID = form.text("requestID") ?? requestID }
        let chosen = Set(form.all("group"))
        // One that has left the rig meanwhile is refused by it, and not forgotten here.
        groups = Set(choices.groups).union(chosen).sorted().map { Group(name: $0, isChosen: chosen.contains($0)) }
        plans = choices.plans
        tiles = choices.nodes.map { Tile(name: $0.rawValue) }
        (hasGroups, hasPlans) = (!groups.isEmpty, !plans.isEmpty)
    }

    /// Has the form ask for what an earlier capture was.
    mutating func show(_ capture: CaptureDetail) {
        show(capture.plan, capture.summary.session, capture.summary.subject, capture.summary.labels)
    }

    /// Has the form ask for one more of a series.
    mutating func show(_ order: FireRequest) { show(order.plan, order.session, order.subject, order.labels) }

    private mutating func show(_ plan: Plan?, _ session: String?, _ subject: String?, _ labels: [String: String]) {
        self.plan = plan.map { PlanDocument($0).lines } ?? self.plan
        (self.session, self.subject) = (session ?? "", subject ?? "")
        // Each series has its own.
        self.labels = CaptureView.lines(labels.filter { $0.key != CaptureSeries.label })
    }

    mutating func show(_ check: FormCheck) {
        (verdict, isRefused) = (check.verdict, !check.canFire)
        set(check.details, check.objectionsByNode)
    }

    /// - Parameter act: what was pressed.
    mutating func show(_ error: ConsoleError, of act: String?) {
        let check = FormCheck(error)
        guard act == "fire" || act == "arm" else { return show(check) }
        let done = act == "fire" ? "fired" : "armed"
        if error.mayHaveHappened {
            refusal =
                "It is not known whether it was \(done): \(check.verdict) Press again to ask; it is \(done) once all the "
                + "same."
        } else {
            refusal = (check.verdict.hasPrefix("Nothing was \(done)") ? "" : "Not \(done): ") + check.verdict
        }
        set(check.details, check.objectionsByNode)
    }

    private mutating func set(_ lines: [String], _ objections: [String: String] = [:]) {
        (details, hasDetails) = (lines.map(\.printableLine), !lines.isEmpty)
        for index in tiles.indices { tiles[index].objection = objections[tiles[index].name]?.printableLine }
    }
}
