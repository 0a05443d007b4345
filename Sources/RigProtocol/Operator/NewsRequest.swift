/// operator -> coordinator: what became known after this?
package struct NewsRequest: CatalogueMessage, Hashable {
    package typealias Reply = NewsReply
    package static let type = "newsRequest"
    /// The number of the last news that was received.
    package var after: Int64

    package init(after: Int64) {
        self.after = after
    }
}
