package import CaptureModel

/// operator -> coordinator: the sessions, those with the newest captures in front.
package struct SessionsRequest: CatalogueMessage, Hashable {
    package typealias Reply = SessionsReply
    package static let type = "sessionsRequest"
    /// The earliest acceptance of captures that count; nil for all.
    package var since: Instant?
    /// At most so many.
    package var limit: Int

    package init(since: Instant?, limit: Int) { (self.since, self.limit) = (since, limit) }
}
