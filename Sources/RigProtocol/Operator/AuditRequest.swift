package import CaptureModel

/// operator -> coordinator: who had what done?
package struct AuditRequest: CatalogueMessage, Hashable {
    package typealias Reply = AuditReply
    package static let type = "auditRequest"
    /// From when on.
    package var since: Instant
    /// At most so many, the newest; 1 to 1,000.
    package var limit: Int

    package init(since: Instant, limit: Int) { (self.since, self.limit) = (since, limit) }
}
