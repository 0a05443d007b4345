package import CaptureModel

/// coordinator -> operator: the people whom it admits.
package struct OperatorsReply: WireMessage, Hashable {
    package static let type = "operatorsReply"

    /// Somebody whom the coordinator admits.
    package struct Operator: Codable, Sendable, Hashable {
        package var name: NodeName
        package var role: Role
        /// In Z85.
        package var key: String

        package init(name: NodeName, role: Role, key: String) { (self.name, self.role, self.key) = (name, role, key) }
    }

    /// In order of their names.
    package var operators: [Operator]

    package init(operators: [Operator]) { self.operators = operators }
}
