package import CaptureModel
package import RigProtocol

/// A session.
package struct SessionDocument: Codable, Sendable {
    /// The capture's session.
    package var session: String?
    /// Its captures, those that are over and not complete, and their photos.
    package var captureCount, incompleteCount, expectedPhotoCount, storedPhotoCount: Int
    /// When its first and its last capture were accepted.
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
    /// What it says.
    package var key, value: String
    /// How many captures have it.
    package var captureCount: Int
    /// When the last of them was accepted.
    package var lastAt: WallTime

    package init(_ label: LabelSummary) {
        (key, value, captureCount) = (label.key, label.value, label.captureCount)
        lastAt = WallTime(label.lastAt)
    }
}

/// What somebody had done, or wanted done.
package struct AuditDocument: Codable, Sendable {
    /// The same in UTC.
    package var at: WallTime
    /// The name behind the key.
    package var user: NodeName
    /// The public key, in Z85.
    package var key: String?
    /// What was to be done.
    package var act: String
    /// What it was about.
    package var subject: String?
    /// The request as JSON, and what came of it.
    package var arguments, result: String
    /// Why it was refused, or how it was done.
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
        /// The capture's identity.
        package var uniqueID: UniqueID
        /// The capture's session.
        package var session: String?
        /// When it was accepted.
        package var createdAt: WallTime
        /// When it was deleted.
        package var deletedAt: WallTime?
        /// Who deleted it as a whole.
        package var deletedBy: NodeName?
        /// How many photos it is, and their size.
        package var photoCount, byteCount: Int
    }

    /// Those that it is about, at most 1000.
    package var captures: [Capture]
    /// How many photos it is, and their size.
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
