import CaptureModel
import GRDB

// What is deleted keeps its rows: the catalogue answers for it still, and the archive beside where the photos were is the
// tombstone that `rebuild` and nodes respect.

extension CatalogueChange {
    /// A photo's path in the trash, in SQL.
    private static let trashPath = "'trash/' || substr(path, 8)"
    /// A photo's path among the others, in SQL.
    private static let homePath = "'photos/' || substr(path, 7)"
    /// A photo of which there is a file in the trash, in SQL.
    static let isInTrash = "photo.state = 'deleted' AND photo.path IS NOT NULL"

    func applyDeletion(_ db: Database) throws {
        switch self {
        case .captureDeleted(let id, let user, let time):
            try db.run(
                "UPDATE capture SET deleted_at = ?, deleted_by = ?, \(Self.later) WHERE unique_id = ? AND deleted_at IS NULL",
                [time, user, time, id.rawValue])
            try db.run("\(Self.delete) WHERE unique_id = ? AND state = 'stored'", [time, id.rawValue])
        case .photoDeleted(let photo, let time):
            try db.run(
                "\(Self.delete) WHERE unique_id = ? AND node = ? AND photo_count = ? AND state = 'stored'",
                [time] + photo.columns)
            try said(of: photo.uniqueID, time, db)
        case .captureRecovered(let id, let since, let time):
            try db.run(
                """
                UPDATE photo SET state = 'stored', path = \(Self.homePath), deleted_at = NULL
                WHERE unique_id = ? AND \(Self.isInTrash) AND deleted_at >= ?
                """, [id.rawValue, since ?? UTCTime(rawValue: .min)])
            try db.run("UPDATE capture SET deleted_at = NULL, deleted_by = NULL WHERE unique_id = ?", [id.rawValue])
            try said(of: id, time, db)
        case .trashEmptied(let id, let last, let time):
            try db.run(
                "UPDATE photo SET path = NULL WHERE unique_id = ? AND \(Self.isInTrash) AND deleted_at <= ?",
                [id.rawValue, last])
            try said(of: id, time, db)
        case .anchored, .slept, .node, .capture, .captureWithdrawn, .captureCancelled, .captureState, .captureNodeState,
            .captureSync, .captureNodeSync, .captureNodeCamera, .event, .photoStored, .photoFailed, .photoLost,
            .annotated, .photoAnnotated, .news:
            preconditionFailure("not a deletion")
        }
    }

    private static let delete = "UPDATE photo SET state = 'deleted', path = \(trashPath), deleted_at = ?"

    /// A photo that came after its capture was deleted follows it, as if it had been there.
    func deleteLate(_ photo: PhotoID, _ db: Database) throws {
        try db.run(
            """
            UPDATE photo SET state = 'deleted', path = \(Self.trashPath), deleted_at = capture.deleted_at
            FROM capture WHERE capture.unique_id = photo.unique_id AND capture.deleted_at IS NOT NULL
                AND photo.unique_id = ? AND node = ? AND photo_count = ? AND photo.state = 'stored'
            """, photo.columns)
    }

    private func said(of id: UniqueID, _ time: UTCTime, _ db: Database) throws {
        try db.run("UPDATE capture SET \(Self.later) WHERE unique_id = ?", [time, id.rawValue])
    }
}

extension CatalogueChange {
    /// Whether it leads to room on a full disk.
    package var makesRoom: Bool {
        switch self {
        case .captureDeleted, .photoDeleted, .trashEmptied: true
        case _: false
        }
    }
}
