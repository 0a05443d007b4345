package import CaptureModel

/// coordinator -> operator: it is done.
package struct MemberReply: WireMessage, Hashable {
    package static let type = "memberReply"
    /// The node, by the name that it has now.
    package var node: NodeName
    /// The captures that counted on the node.
    package var owing: [UniqueID]
    /// Where it was revoked: the captures that counted on it and were not fired yet, which ``owing`` leaves out; nil for
    /// none.
    package var unfired: [UniqueID]?
    /// The number of captures of which the node's spool held something; nil where that is not known.
    package var keepsCount: Int?
    /// What else a person should know.
    package var remark: String?

    package init(_ change: MemberChange, owing: [UniqueID], keepsCount: Int? = nil) {
        (node, remark) = (change.node, change.remark)
        (self.owing, self.keepsCount) = (owing, keepsCount)
    }
}
