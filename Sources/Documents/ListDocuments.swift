package import CaptureModel
package import RigProtocol

/// A session.
package struct SessionDocument: Codable, Sendable {
    package var session: String?
    package var captureCount, incompleteCount, expectedPhotoCount, storedPhotoCount: Int
    package var firstAt, lastAt: WallTime

    package init(_ session: SessionSummary) {
        self.session = session.session
        (captureCount, incompleteCount) = (session.captureCount, session.incompleteCount)
        (expectedPhotoCount, storedPhotoCount) = (session.expectedPhotoCount, session.storedPhotoCount)
        (firstAt, lastAt) = (WallTime(session.firstAt), WallTime(session.lastAt))
    }
}

/// A label with its value.
package struct LabelDocument: Codable, Sendable {
    package var key, value: String
    package var captureCount: Int
    package var lastAt: WallTime

    package init(_ label: LabelSummary) {
        (key, value, captureCount) = (label.key, label.value, label.captureCount)
        lastAt = WallTime(label.lastAt)
    }
}

/// What somebody had done, or wanted done.
package struct AuditDocument: Codable, Sendable {
    package var at: WallTime
    package var user: NodeName
    package var key: String?
    package var act: String
    package var subject: String?
    package var arguments, result: String
    package var message: String?

    package init(_ entry: AuditEntry) {
        (at, user, key, act) = (WallTime(entry.at), entry.user, entry.key, entry.act)
        (subject, arguments, result, message) = (entry.subject, entry.arguments, entry.result, entry.message)
    }
}

/// What was deleted, put back or removed, or is in the trash.
package struct TrashDocument: Codable, Sendable {
    /// What it is of one capture.
    package struct Capture: Codable, Sendable {
        package var uniqueID: UniqueID
        package var session: String?
        package var createdAt: WallTime
        package var deletedAt: WallTime?
        package var deletedBy: NodeName?
        package var photoCount, byteCount: Int
    }

    package var captures: [Capture]
    package var photoCount, byteCount: Int
    /// How many captures there are in all, of which one answer has the first 1000.
    package var matchCount: Int

    package init(_ reply: TrashReply) {
        matchCount = reply.matchCount
        captures = reply.captures.map { capture in
            Capture(
                uniqueID: capture.uniqueID, session: capture.session, createdAt: WallTime(capture.createdAt),
                deletedAt: capture.deletedAt.map { WallTime($0) }, deletedBy: capture.deletedBy,
                photoCount: capture.photoCount, byteCount: capture.byteCount)
        }
        (photoCount, byteCount) = (reply.photoCount, reply.byteCount)
    }
}
