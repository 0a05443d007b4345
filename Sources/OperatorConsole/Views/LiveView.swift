import CaptureModel
import RigProtocol

/// A picture of each camera, as it is now.
struct LiveView {
    struct Tile { let name: String }

    let title = "Live"
    let isInside = true
    /// After which news is news.
    let news: Int64?
    let tiles: [Tile]
    let isEmpty: Bool

    init(_ nodes: [NodeSummary], news: Int64?) {
        self.news = news
        tiles = nodes.map(\.name).sorted { $0.precedes($1) }.map { Tile(name: $0.rawValue) }
        isEmpty = tiles.isEmpty
    }
}

/// One camera, large.
struct CameraView {
    let title, name: String
    let isInside = true
    /// After which news is news.
    let news: Int64?
    /// The node before it and the one after it, by name.
    let former, next: String?

    init(_ name: NodeName, _ nodes: [NodeSummary], news: Int64?) {
        (title, self.name, self.news) = (name.rawValue, name.rawValue, news)
        let names = nodes.map(\.name).sorted { $0.precedes($1) }
        let index = names.firstIndex(of: name) ?? 0
        former = index > 0 ? names[index - 1].rawValue : nil
        next = index + 1 < names.count ? names[index + 1].rawValue : nil
    }
}
