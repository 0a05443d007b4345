/// By how much a node, or a group of them, fires later: for waves, projector and strobe slots.
package struct FiringOffset: Hashable, Sendable, Codable {
    /// A node's name; with `*` at its end all names that begin so.
    package var nodes: String
    package var nanoseconds: Int64

    package init(nodes: String, nanoseconds: Int64) {
        self.nodes = nodes
        self.nanoseconds = nanoseconds
    }

    package func applies(to node: String) -> Bool {
        nodes.hasSuffix("*") ? node.hasPrefix(nodes.dropLast()) : node == nodes
    }
}
