package import CaptureModel
import GRDB

extension Catalogue {
    /// Writes down what somebody had done, or wanted done; durable when this returns.
    ///
    /// - Returns: where it stands.
    @discardableResult
    package func note(_ entry: AuditEntry) async throws -> Int64 {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        return try await writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO audit (at, user, key, act, subject, arguments, result, message)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.at, entry.user, entry.key, entry.act, entry.subject, entry.arguments, entry.result,
                    entry.message,
                ])
            return db.lastInsertedRowID
        }
    }

    /// Writes down what came of something that was written down before it was done.
    package func complete(_ entry: AuditEntry, at row: Int64) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try await writer.write { db in
            try db.execute(
                sql: "UPDATE audit SET subject = ?, result = ?, message = ? WHERE id = ?",
                arguments: [entry.subject, entry.result, entry.message, row])
        }
    }

    /// What people had done, or wanted done, in the order in which it was written down.
    ///
    /// - Parameters:
    ///   - since: from when on.
    ///   - limit: at most so many, the newest.
    package func audit(since: Instant, limit: Int) async throws -> [AuditEntry] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM audit WHERE at >= ? ORDER BY id DESC LIMIT ?",
                arguments: [try since.microseconds(db), limit]
            ).reversed().map { row in
                AuditEntry(
                    at: row["at"], user: row["user"], key: row["key"], act: row["act"], subject: row["subject"],
                    arguments: row["arguments"], result: row["result"], message: row["message"])
            }
        }
    }
}
