package import CaptureModel

/// coordinator -> operator: it is done.
package struct MemberReply: WireMessage, Hashable {
    package static let type = "memberReply"
    /// The node, by the name that it has now.
    package var node: NodeName
    /// The captures to which the node still owed something.
    package var owing: [UniqueID]

    package init(node: NodeName, owing: [UniqueID]) { (self.node, self.owing) = (node, owing) }
}
