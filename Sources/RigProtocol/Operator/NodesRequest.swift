/// operator -> coordinator: who is in the rig?
package struct NodesRequest: OperatorMessage, Hashable {
    package typealias Reply = NodesReply
    package static let type = "nodesRequest"

    package init() {}
}
