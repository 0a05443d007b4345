package import CaptureModel
import GRDB

/// A photo in the library, as somebody who copies it has to know it.
package struct PhotoToCopy: Sendable, Hashable {
    package let id: PhotoID
    /// Relative to the library.
    package let path: String
    /// In hexadecimal digits.
    package let sha256: String
}

extension Catalogue {
    /// The stored photos of captures that are over and of which a place has no verified copy, the oldest first; one from
    /// before somebody said something of the capture is none, as the archive beside it is behind.
    ///
    /// - Parameters:
    ///   - isAgain: whether those that have one are among them.
    ///   - after: the last one of those that were asked for before; nil for the first.
    ///   - limit: at most so many.
    package func photos(
        withoutCopyAt place: String, isAgain: Bool, after: PhotoID?, limit: Int
    ) async throws -> [PhotoToCopy] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT photo.unique_id, photo.node, photo.photo_count, photo.path, photo.sha256
                    FROM photo JOIN capture USING (unique_id)
                    WHERE photo.state = 'stored' AND photo.path IS NOT NULL AND photo.sha256 IS NOT NULL
                        AND capture.state IN ('complete', 'partial', 'failed', 'cancelled')
                        AND (photo.unique_id, photo.node, photo.photo_count) > (?, ?, ?)
                        AND (? OR NOT EXISTS (
                            SELECT 1 FROM copy WHERE copy.unique_id = photo.unique_id AND copy.node = photo.node
                                AND copy.photo_count = photo.photo_count AND copy.place = ?
                                AND copy.verified_at >= coalesce(capture.annotated_at, 0)))
                    ORDER BY photo.unique_id, photo.node, photo.photo_count LIMIT ?
                    """,
                arguments: [
                    after?.uniqueID.rawValue ?? 0, after?.node.rawValue ?? "", after?.photoCount ?? 0, isAgain, place,
                    limit,
                ]
            ).map { row in
                PhotoToCopy(
                    id: PhotoID(
                        uniqueID: UniqueID(rawValue: row["unique_id"]), node: row["node"],
                        photoCount: row["photo_count"]),
                    path: row["path"], sha256: row["sha256"])
            }
        }
    }

    /// Where a photo is, relative to the library; nil for one that is not there.
    package func path(of photo: PhotoID) async throws -> String? {
        try await database.read { db in
            try String.fetchOne(
                db.cachedStatement(
                    sql:
                        "SELECT path FROM photo WHERE unique_id = ? AND node = ? AND photo_count = ? AND state = 'stored'"
                ),
                arguments: [photo.uniqueID.rawValue, photo.node, photo.photoCount])
        }
    }

    /// Notes for each of these photos whether what a place has of it was read back and is the photo; durable when this
    /// returns.
    package func noteCopies(
        of photos: [PhotoID], at place: String, verifiedAt time: UTCTime, missing: [PhotoID] = []
    ) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try await writer.write { db in
            for photo in photos {
                try db.execute(
                    sql: """
                        INSERT INTO copy (unique_id, node, photo_count, place, verified_at) VALUES (?, ?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET verified_at = excluded.verified_at
                        """, arguments: [photo.uniqueID.rawValue, photo.node, photo.photoCount, place, time])
            }
            for photo in missing {
                try db.execute(
                    sql: "DELETE FROM copy WHERE unique_id = ? AND node = ? AND photo_count = ? AND place = ?",
                    arguments: [photo.uniqueID.rawValue, photo.node, photo.photoCount, place])
            }
        }
    }

    /// What each place has of the stored photos, in the order of their names.
    package func copies() async throws -> [PlaceOfCopies] {
        try await database.read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT place, count(*) AS count, min(verified_at) AS oldest FROM copy GROUP BY place ORDER BY place
                    """)
            return rows.map { row in
                PlaceOfCopies(place: row["place"], photoCount: row["count"], oldestReadAt: row["oldest"])
            }
        }
    }
}
