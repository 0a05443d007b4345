package import CaptureModel
import GRDB

/// The one SQLite file that can answer for what happened.
///
/// One connection writes, in WAL with `synchronous=FULL`: what was committed is there after a power cut. Others read
/// meanwhile.
package final class Catalogue: Sendable {
    let database: any DatabaseReader & Sendable
    private let writer: DatabasePool?
    /// The row of ``CatalogueChange`` that new captures belong to.
    private let run: Int64

    /// Opens the coordinator's catalogue, making or migrating it, and notes the run with its anchor of rig time.
    ///
    /// - Parameters:
    ///   - startedAt: microseconds since the Unix epoch.
    ///   - rigTime: the same instant in rig time.
    package init(path: String, startedAt: Int64, rigTime: RigTime) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: path, configuration: configuration)
        // DatabasePool sets NORMAL when it turns WAL on, after everything that a configuration can say.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Self.migrator.migrate(pool)
        run = try pool.write { db in
            try db.execute(
                sql: "INSERT INTO run (started_at, started_rig_time_ns) VALUES (?, ?)",
                arguments: [startedAt, rigTime.nanoseconds])
            return db.lastInsertedRowID
        }
        database = pool
        writer = pool
    }

    /// Opens a catalogue for questions alone, whether a coordinator runs or not.
    package init(reading path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        database = try DatabaseQueue(path: path, configuration: configuration)
        writer = nil
        run = 0
    }

    /// The schema's history; a migration that was released is never edited.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            try db.execute(sql: String(decoding: PackageResources.schema_sql, as: UTF8.self))
        }
        return migrator
    }

    /// Commits changes, in order, in one transaction; durable when this returns.
    package func commit(_ changes: [CatalogueChange]) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        let run = run
        try await writer.write { db in
            for change in changes { try change.apply(to: db, run: run) }
        }
    }

    /// Whether an error will be the same however often the change is tried: the schema refused it.
    package static func isPermanent(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH
    }

    /// A pragma of the writing connection, for whoever wants proof.
    package func writerPragma(_ name: String) throws -> String? {
        try writer?.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}
