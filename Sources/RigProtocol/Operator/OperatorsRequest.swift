/// operator -> coordinator: who may do what?
package struct OperatorsRequest: OperatorMessage, Hashable {
    package typealias Reply = OperatorsReply
    package static let type = "operatorsRequest"

    package init() {}
}
