package import CaptureModel

/// Who belongs to the rig, wherever that is kept; what is changed is durable when the call returns.
package protocol MemberBook: Sendable {
    /// Those who belong to it now.
    func members() -> Members
    /// The boards that ask to join.
    func boards() -> BoardsReply
    /// Makes a join code.
    func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply
    /// Carries out a change.
    func change(_ request: MemberRequest) throws(Refusal) -> MemberChange
    /// What somebody may do; nil for nothing.
    func role(of user: NodeName) -> Role?
    /// The people whom the coordinator admits.
    func operators() -> OperatorsReply
    /// Changes who they are, or what they may do.
    func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal)
}

/// What came of a change.
package struct MemberChange: Sendable, Hashable {
    /// The node that it was about, by the name that it has now.
    package var node: NodeName
    /// What else a person should know.
    package var remark: String?

    package init(_ node: NodeName, remark: String? = nil) { (self.node, self.remark) = (node, remark) }
}

/// The nodes that belong to a rig.
package struct Members: Sendable, Hashable {
    /// Those that take part in captures.
    package var active: Set<NodeName>
    /// Those that only deliver what they owe.
    package var retired: Set<NodeName>

    package init(active: some Sequence<NodeName>, retired: some Sequence<NodeName> = []) {
        (self.active, self.retired) = (Set(active), Set(retired))
    }
}
