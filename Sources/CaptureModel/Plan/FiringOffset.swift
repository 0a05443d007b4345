/// How much later a node, or a group of nodes, fires: for waves, and for projector and strobe slots.
package struct FiringOffset: Hashable, Sendable, Codable {
    /// A node's name; with `*` at its end, every name that begins like that.
    package var nodes: String
    /// The delay after the capture's fire time: 0 to 60 s in a plan that a rig accepts.
    package var nanoseconds: Int64

    package init(nodes: String, nanoseconds: Int64) {
        self.nodes = nodes
        self.nanoseconds = nanoseconds
    }

    /// Whether ``nodes`` names this node, by itself or among others.
    package func applies(to node: NodeName) -> Bool {
        nodes.hasSuffix("*") ? node.rawValue.hasPrefix(nodes.dropLast()) : node.rawValue == nodes
    }
}
