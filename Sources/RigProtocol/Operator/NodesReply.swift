/// coordinator -> operator: the nodes of the rig.
package struct NodesReply: WireMessage, Hashable {
    package static let type = "nodesReply"
    /// In order of their names, those that were never seen included.
    package var nodes: [NodeSummary]

    package init(nodes: [NodeSummary]) {
        self.nodes = nodes
    }
}
