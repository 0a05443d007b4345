import CaptureModel
import Programs
import RigClock
import RigProtocol

/// The rig's nodes, and how they are.
struct NodesView {
    struct Row {
        let name, state, camera, format, clock, spool, board, frames, software, groups: String
        let remark: String?
        /// SVG; nil where nothing is known.
        let curve: String?

        init(_ node: NodeSummary, _ health: RigHealth, _ history: ClocksReply.History?) {
            curve = history.flatMap(ClockCurve.svg)
            (spool, board, frames) = health.words(node.name)
            let camera = node.capabilities
            (name, state) = (node.name.rawValue, node.state.rawValue)
            self.camera = camera?.cameraID.printableLine ?? ""
            format = camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? ""
            clock =
                node.clock.map {
                    "\($0.estimate.status.rawValue) ±\(Sentences.milliseconds($0.estimate.boundNanoseconds))"
                }
                ?? ""
            software = node.software?.printableLine ?? ""
            groups = (node.groups ?? []).joined(separator: ", ").printableLine
            remark = (node.problem ?? camera?.limitations.first)?.printableLine
        }
    }

    let title = "Rig"
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    let count: String
    /// What the library's disk still takes; nil where nobody could measure it.
    let library: String?
    /// What the last `volley verify` found.
    let verified: String
    /// The first of its problems.
    let problems: [String]
    let hasProblems: Bool
    let rows: [Row]

    /// - Parameters:
    ///   - captureBytes: the size of the newest complete capture; nil where there is none.
    ///   - news: after which number news is news.
    init(
        _ nodes: [NodeSummary], _ health: RigHealth, _ clocks: [ClocksReply.History], captureBytes: Int?,
        _ verdict: LibraryVerdict?, news: Int64?
    ) {
        self.news = news
        verified = RigHealth.words(verdict)
        let told = verdict?.problems.map(\.printableLine) ?? []
        let others = (verdict?.problemCount ?? 0) - told.count
        problems = told + (others > 0 ? ["and \(others) more"] : [])
        hasProblems = !problems.isEmpty
        library = health.library(captureBytes: captureBytes)
        let histories = Dictionary(clocks.map { ($0.node, $0) }) { first, _ in first }
        rows = nodes.sorted { $0.name.precedes($1.name) }.map { Row($0, health, histories[$0.name]) }
        count = "\(nodes.count { $0.state == .ready }) of \(Sentences.count(nodes.count, "node")) ready"
    }
}
