import CaptureModel
import RigProtocol

/// A picture of each camera, as it is now.
struct LiveView {
    struct Tile { let name: String }

    let title = "Live"
    let isInside = true
    /// The number of the last news that the page already shows.
    let news: Int64?
    let tiles: [Tile]
    let isEmpty: Bool

    init(_ nodes: [NodeSummary], news: Int64?) {
        self.news = news
        tiles = nodes.map(\.name).sorted { $0.precedes($1) }.map { Tile(name: $0.rawValue) }
        isEmpty = tiles.isEmpty
    }
}
