/// What somebody had done, or wanted done.
package struct AuditEntry: Codable, Sendable, Hashable {
    /// When it was asked.
    package var at: UTCTime
    /// The name behind the key; ``unknown`` for a stranger.
    package var user: NodeName
    /// The public key, in Z85.
    package var key: String?
    /// What was to be done: `fire`, `arm`, `release`, `annotate`, `delete`, `recover`, `empty`, `export`, `cancel`,
    /// `moveStarts`, `identify`, `invite`, `admit`, `rename`, `retire`, `revoke`, `addOperator`, `changeRole`,
    /// `removeOperator`. `join` for a board that had a join code, `connect` for a key that was turned away.
    package var act: String
    /// What it was about: a capture, a plan, a node or an operator; the address of a key that was turned away.
    package var subject: String?
    /// The request, as JSON; what the join code begins with, or where a key was turned away.
    package var arguments: String
    /// ``done``, ``asked``, or the code of a refusal.
    package var result: String
    /// Why it was refused; else how it was done, where there is more than one way.
    package var message: String?

    /// The result of what was done.
    package static let done = "done"
    /// The name behind a key that belongs to nobody.
    package static let unknown: NodeName = "unknown"
    /// The result of what is about to be done.
    package static let asked = "asked"

    package init(
        at: UTCTime, user: NodeName, key: String?, act: String, subject: String?, arguments: String, result: String,
        message: String? = nil
    ) {
        (self.at, self.user, self.key, self.act) = (at, user, key, act)
        (self.subject, self.arguments, self.result, self.message) = (subject, arguments, result, message)
    }
}
