/// operator -> coordinator: which boards ask to join?
package struct BoardsRequest: OperatorMessage, Hashable {
    package typealias Reply = BoardsReply
    package static let type = "boardsRequest"

    package init() {}
}
