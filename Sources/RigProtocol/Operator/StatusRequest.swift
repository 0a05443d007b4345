/// operator -> coordinator: are you there?
package struct StatusRequest: OperatorMessage, Hashable {
    package typealias Reply = StatusReply
    package static let type = "statusRequest"

    package init() {}
}
