/// operator -> coordinator: make a join code, with which boards admit themselves.
package struct InviteRequest: OperatorMessage, Hashable {
    package typealias Reply = InviteReply
    package static let type = "inviteRequest"
    /// How many boards it is for, 1 to 1,000.
    package var count: Int
    /// For how long it counts, in seconds; at most 30 days.
    package var seconds: Int
    /// What the boards are called: a name, in which a run of `#` stands for digits; nil for what each would like to be
    /// called.
    package var names: String?

    package init(count: Int, seconds: Int, names: String? = nil) {
        (self.count, self.seconds, self.names) = (count, seconds, names)
    }
}
