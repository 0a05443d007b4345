package import CaptureModel

/// operator -> coordinator: change who belongs to the rig.
package struct MemberRequest: OperatorMessage, Hashable {
    package typealias Reply = MemberReply
    package static let type = "memberRequest"

    /// What is to be done.
    package struct Act: RawRepresentable, Codable, Hashable, Sendable {
        /// The word; a coordinator refuses one that it does not know.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// A board that waits becomes a node.
        package static let admit = Act(rawValue: "admit")
        /// A node gets another name.
        package static let rename = Act(rawValue: "rename")
        /// A node takes part in nothing new, but delivers what it owes.
        package static let retire = Act(rawValue: "retire")
        /// A node's key counts no more, from now on.
        package static let revoke = Act(rawValue: "revoke")
    }

    package var act: Act
    /// A node's name; of a board that waits, the one that it would like to have, or its words.
    package var subject: String
    /// The name that a board or a node gets; nil for the one that it has.
    package var newName: NodeName?

    package init(_ act: Act, _ subject: String, as newName: NodeName? = nil) {
        (self.act, self.subject, self.newName) = (act, subject, newName)
    }
}
