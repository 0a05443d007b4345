package import CaptureModel
import GRDB

extension Catalogue {
    /// The clock by which is thrown away, as it was kept last; nil where it never was.
    package func retention() async throws -> RetentionState? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM retention").map { row in
                var state = RetentionState(lookedAt: row["looked_at"])
                (state.doubtedFor, state.expectedAt) = (row["doubted_ns"], row["expected_at"])
                (state.jumpedAt, state.dayBeganAt) = (row["jumped_at"], row["day_began_at"])
                (state.deletedCount, state.emptiedCount) = (row["deleted_count"], row["emptied_count"])
                return state
            }
        }
    }

    /// Keeps it; durable when this returns.
    package func keep(_ state: RetentionState) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try await writer.write { db in
            try db.run(
                """
                INSERT INTO retention (id, looked_at, doubted_ns, expected_at, jumped_at, day_began_at, deleted_count,
                    emptied_count)
                VALUES (1, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET looked_at = excluded.looked_at, doubted_ns = excluded.doubted_ns,
                    expected_at = excluded.expected_at, jumped_at = excluded.jumped_at,
                    day_began_at = excluded.day_began_at, deleted_count = excluded.deleted_count,
                    emptied_count = excluded.emptied_count
                """,
                [
                    state.lookedAt, state.doubtedFor, state.expectedAt, state.jumpedAt, state.dayBeganAt,
                    state.deletedCount, state.emptiedCount,
                ])
        }
    }

    /// How many captures there are that were not deleted, and when the newest was asked for; of the deleted, too, where
    /// there is no other.
    package func extent() async throws -> (captureCount: Int, newest: UTCTime?) {
        try await database.read { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM capture WHERE deleted_at IS NULL")
            return (
                count ?? 0,
                try Int64.fetchOne(db, sql: "SELECT max(created_at) FROM capture").map(UTCTime.init(rawValue:))
            )
        }
    }
}
