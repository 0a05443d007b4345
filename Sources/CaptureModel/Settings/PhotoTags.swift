/// What the files of a capture's photos say of it besides their exposures.
package struct PhotoTags: Sendable, Codable, Hashable {
    /// The node whose camera took them; nil where a board captures by itself.
    package var node: NodeName?
    /// What the operator groups the capture under; nil where none was given.
    package var session: String?
    /// What is before the cameras; nil where that was not said.
    package var subject: String?
    /// What the operator attached to it.
    package var labels: [String: String]

    package init(session: String? = nil, subject: String? = nil, labels: [String: String] = [:]) {
        (self.session, self.subject, self.labels) = (session, subject, labels)
    }
}
