package import CaptureModel

/// coordinator -> operator: who had what done.
package struct AuditReply: WireMessage, Hashable {
    package static let type = "auditReply"
    /// In the order in which it was written down.
    package var entries: [AuditEntry]

    package init(entries: [AuditEntry]) { self.entries = entries }
}
