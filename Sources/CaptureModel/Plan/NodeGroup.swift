/// Nodes of a rig that belong together, as its owner named them.
package struct NodeGroup: Hashable, Sendable, Codable {
    /// For plans to name it by.
    package let name: String
    /// The names of its nodes, or patterns that they fit.
    package let nodes: [NodePattern]
    /// How much later its nodes fire than the rest of the rig, where a plan says nothing of them: 0 to 60 s.
    package let offsetNanoseconds: Int64

    package init(name: String, nodes: [NodePattern], offsetNanoseconds: Int64 = 0) {
        (self.name, self.nodes, self.offsetNanoseconds) = (name, nodes, offsetNanoseconds)
    }

    /// Whether a node is one of it.
    package func contains(_ node: NodeName) -> Bool { nodes.contains { $0.matches(node) } }
}
