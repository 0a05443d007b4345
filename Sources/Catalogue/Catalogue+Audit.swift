package import CaptureModel
import GRDB

extension Catalogue {
    /// Writes down what somebody had done, or wanted done; durable when this returns.
    package func note(_ entry: AuditEntry) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try await writer.write { db in
            try db.execute(
                sql: """
                    INSERT INTO audit (at, user, key, act, subject, arguments, result, message)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    entry.at, entry.user, entry.key, entry.act, entry.subject, entry.arguments, entry.result,
                    entry.message,
                ])
        }
    }

    /// What people had done, or wanted done, in the order in which it was written down.
    ///
    /// - Parameters:
    ///   - since: from when on.
    ///   - limit: at most so many, the newest.
    package func audit(since: UTCTime, limit: Int) async throws -> [AuditEntry] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM audit WHERE at >= ? ORDER BY id DESC LIMIT ?", arguments: [since, limit]
            ).reversed().map { row in
                AuditEntry(
                    at: row["at"], user: row["user"], key: row["key"], act: row["act"], subject: row["subject"],
                    arguments: row["arguments"], result: row["result"], message: row["message"])
            }
        }
    }
}
