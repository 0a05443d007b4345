package import CaptureModel

/// operator -> coordinator: captures that match.
package struct CapturesRequest: CatalogueMessage, Hashable {
    package typealias Reply = CapturesReply
    package static let type = "capturesRequest"
    /// Which captures, and how many at most.
    package var filter: CaptureFilter

    package init(filter: CaptureFilter) { self.filter = filter }
}
