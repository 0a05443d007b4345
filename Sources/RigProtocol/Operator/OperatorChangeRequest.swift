package import CaptureModel

/// operator -> coordinator: somebody may do this from now on, or nothing any more.
package struct OperatorChangeRequest: OperatorMessage, Hashable {
    package typealias Reply = OperatorsReply
    package static let type = "operatorChangeRequest"
    /// Who it is about.
    package var name: NodeName
    /// What they may do; nil for nothing any more.
    package var role: Role?
    /// The public key of somebody new, in Z85; nil for somebody who is known.
    package var key: String?

    /// What is to be done.
    var act: String { role == nil ? "removeOperator" : key != nil ? "addOperator" : "changeRole" }

    package init(name: NodeName, role: Role?, key: String? = nil) {
        (self.name, self.role, self.key) = (name, role, key)
    }
}
