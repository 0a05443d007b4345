package import CaptureModel

/// operator -> coordinator: the labels and their values, by key and value.
package struct LabelsRequest: CatalogueMessage, Hashable {
    package typealias Reply = LabelsReply
    package static let type = "labelsRequest"
    /// The earliest acceptance of captures that count; nil for all.
    package var since: Instant?
    /// At most so many.
    package var limit: Int

    package init(since: Instant?, limit: Int) { (self.since, self.limit) = (since, limit) }
}
