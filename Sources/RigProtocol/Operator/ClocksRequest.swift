/// operator -> coordinator: how well does each node know rig time, and how well did it?
package struct ClocksRequest: OperatorMessage, Hashable {
    package typealias Reply = ClocksReply
    package static let type = "clocksRequest"

    package init() {}
}
