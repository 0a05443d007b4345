package import CaptureModel
import GRDB

extension Catalogue {
    /// Where each photo of a capture belongs.
    package func photoPlaces(of id: UniqueID) async throws -> [PhotoPlace] {
        try await database.read { try Self.photoPlaces(of: id, $0) }
    }

    static func photoPlaces(of id: UniqueID, _ db: Database) throws -> [PhotoPlace] {
        let sql = "SELECT node, photo_count, sequence_count, format, state, path FROM photo WHERE unique_id = ?"
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [id.rawValue]).map { row in
            let photo = PhotoID(uniqueID: id, node: try known(row["node"]), photoCount: row["photo_count"])
            let slot = PhotoSlot(sequenceCount: row["sequence_count"], format: try known(row["format"]))
            return PhotoPlace(photo, slot, try known(row["state"]), hasPath: row["path"] as String? != nil)
        }
    }

    /// The captures that match and were not deleted as a whole, with what is in the library of each, oldest first.
    package func deletable(_ filter: CaptureFilter) async throws -> Found<DeletablePhotos> {
        var filter = filter
        filter.isDeleted = false
        return try await photos(
            filter, "LEFT JOIN photo ON photo.unique_id = capture.unique_id AND photo.state = 'stored'")
    }

    /// The captures that match and of which something is in the trash, with what that is, oldest first.
    ///
    /// - Parameters:
    ///   - last: what was deleted later does not count; nil for all.
    ///   - first: what was deleted earlier does not count; nil for all.
    ///   - isWithEmpty: whether deleted captures are among them of which there was nothing to put there.
    package func inTrash(
        _ filter: CaptureFilter, deletedUntil last: UTCTime? = nil, since first: UTCTime? = nil,
        isWithEmpty: Bool = false
    ) async throws -> Found<DeletablePhotos> {
        let earliest = (first ?? UTCTime(rawValue: .min)).rawValue
        let empty = """
            capture.deleted_at IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM photo WHERE photo.unique_id = capture.unique_id AND photo.state = 'deleted'
                    AND photo.deleted_at >= \(earliest))
            """
        return try await photos(
            filter,
            """
            \(isWithEmpty ? "LEFT " : "")JOIN photo ON photo.unique_id = capture.unique_id AND \(CatalogueChange.isInTrash)
                AND photo.deleted_at BETWEEN \(earliest) AND \((last ?? UTCTime(rawValue: .max)).rawValue)
            """,
            having: "HAVING (count(photo.node) > 0\(isWithEmpty ? " OR \(empty)" : "")) "
                + "AND \(Self.lastDeletion) >= \(earliest)"
        )
    }

    /// When something of a capture was deleted last, in SQL.
    private static let lastDeletion =
        "max(coalesce(max(photo.deleted_at), capture.deleted_at), coalesce(capture.deleted_at, max(photo.deleted_at)))"

    private func photos(
        _ filter: CaptureFilter, _ join: String, having: String = ""
    ) async throws -> Found<DeletablePhotos> {
        try await database.read { db in
            let conditions = Conditions(filter, hasDeletions: filter.isDeleted != nil)
            let groups = """
                SELECT capture.unique_id, session, created_at, deleted_by,
                    \(Self.lastDeletion) AS deleted_at,
                    count(photo.node) AS photos, coalesce(sum(byte_count), 0) AS bytes
                FROM capture \(join) \(conditions.clause) GROUP BY capture.unique_id \(having)
                """
            let items = try Row.fetchAll(
                db, sql: "\(groups) ORDER BY capture.unique_id LIMIT ?",
                arguments: StatementArguments(conditions.arguments + [Self.bounded(filter.limit)])
            ).map { row in
                DeletablePhotos(
                    uniqueID: UniqueID(rawValue: row["unique_id"]), session: row["session"],
                    createdAt: row["created_at"], deletedAt: row["deleted_at"],
                    deletedBy: try (row["deleted_by"] as String?).map(Self.known), photoCount: row["photos"],
                    byteCount: row["bytes"])
            }
            guard items.count == Self.bounded(filter.limit) else { return Found(items: items, matchCount: items.count) }
            let count = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM (\(groups) LIMIT ?)",
                arguments: StatementArguments(conditions.arguments + [Found<DeletablePhotos>.mostCounted]))
            return Found(items: items, matchCount: count ?? items.count)
        }
    }
}
