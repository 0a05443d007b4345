import CaptureModel
import Programs
import RigClock
import RigProtocol

/// The rig's nodes, and how they are.
struct NodesView {
    struct Row {
        let name, state, camera, format, clock, software, groups, remark: String

        init(_ node: NodeSummary) {
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
            remark = (node.problem ?? camera?.limitations.first ?? "").printableLine
        }
    }

    let title = "Rig"
    let isInside = true
    /// After which news is news.
    let news: Int64?
    let count: String
    let rows: [Row]

    /// - Parameter news: after which number news is news.
    init(_ nodes: [NodeSummary], news: Int64?) {
        self.news = news
        rows = nodes.sorted { $0.name.precedes($1.name) }.map(Row.init)
        count = "\(nodes.count { $0.state == .ready }) of \(Sentences.count(nodes.count, "node")) ready"
    }
}
