import CaptureModel

/// coordinator -> whoever watches: a node came, went or changed. Of a past change only state and problem are known.
package struct NodeNotice: WireMessage, Hashable {
    package static let type = "nodeNotice"
    /// See ``News/number``.
    package var number: Int64
    /// See ``News/previous``.
    package var previous: Int64
    /// The node as it was after the change.
    package var node: NodeSummary

    package init(number: Int64, previous: Int64, node: NodeSummary) {
        self.number = number
        self.previous = previous
        self.node = node
    }
}
