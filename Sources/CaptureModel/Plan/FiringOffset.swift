/// How much later a node, or nodes whose names fit a pattern, fire: for waves, and for projector and strobe slots.
package struct FiringOffset: Hashable, Sendable, Codable {
    /// Whom it applies to.
    package var nodes: NodePattern
    /// The delay after the capture's fire time: 0 to 60 s in a plan that a rig accepts.
    package var nanoseconds: Int64

    package init(nodes: NodePattern, nanoseconds: Int64) {
        self.nodes = nodes
        self.nanoseconds = nanoseconds
    }

    /// Of two offsets for one node the closer one counts: a name before any pattern.
    var closeness: Int { nodes.isWild ? nodes.literalCount : .max }
}
