package import CaptureModel
import Dispatch
import GRDB

/// The one SQLite file that can answer for what happened.
///
/// One connection writes, in WAL with `synchronous=FULL`: what was committed is there after a power cut. Others read
/// meanwhile.
package final class Catalogue: Sendable {
    let database: any DatabaseReader & Sendable
    let writer: (any DatabaseWriter)?
    /// The row of ``CatalogueChange`` that new captures belong to.
    let run: Int64
    /// Where the questions about one capture are answered, one after the other: a concurrent queue shares its threads
    /// with Swift's own tasks, and its questions, each waiting for a connection, would hold up those that free one.
    let questions = DispatchQueue(label: "catalogue questions")

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
        run = try Self.begin(pool, startedAt, rigTime)
        // Operators are told within ten seconds that another program holds the catalogue, and a commit is tried twice.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 2000") }
        database = pool
        writer = pool
    }

    /// Opens a catalogue in memory, for a rig in virtual time; it is there as long as one of its name is open.
    package init(inMemory name: String, startedAt: Int64, rigTime: RigTime) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        let queue = try DatabaseQueue(named: name, configuration: configuration)
        run = try Self.begin(queue, startedAt, rigTime)
        database = queue
        writer = queue
    }

    private static func begin(
        _ writer: some DatabaseWriter, _ startedAt: Int64, _ rigTime: RigTime
    ) throws -> Int64 {
        guard try !writer.read(migrator.hasBeenSuperseded) else { throw OfLaterRelease() }
        try migrator.migrate(writer)
        return try writer.write { db in
            try db.execute(
                sql: "INSERT INTO run (started_at, started_rig_time_ns) VALUES (?, ?)",
                arguments: [startedAt, rigTime.nanoseconds])
            return db.lastInsertedRowID
        }
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

    /// The schema's history. The first step makes the newest schema; what an older catalogue has is carried over.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try createSchema($0) }
        migrator.registerMigration("2: focus and white balance brackets") { db in
            if try !db.columns(in: "photo").contains(where: { $0.name == "requested_gain" }) { try rebuild(db) }
        }
        migrator.registerMigration("3: one instant over the rig") { db in
            if try !db.columns(in: "capture").contains(where: { $0.name == "max_spread_ns" }) { try rebuild(db) }
        }
        migrator.registerMigration("4: rolling shutters") { db in
            if try !db.columns(in: "photo").contains(where: { $0.name == "readout_ns" }) { try rebuild(db) }
        }
        // Views refer to nothing that would have to be looked over.
        migrator.registerMigration("5: views that look at one capture's photos", foreignKeyChecks: .immediate) {
            try remakeViews($0)
        }
        migrator.registerMigration("6: where an exposure's start is known from") { db in
            if try !db.columns(in: "photo").contains(where: { $0.name == "start_correction_ns" }) { try rebuild(db) }
        }
        migrator.registerMigration("7: profiles, lens and white balance as applied, clocks that are set") { db in
            if try !db.columns(in: "photo").contains(where: { $0.name == "profile" }) { try rebuild(db) }
        }
        migrator.registerMigration("8: starts that a lamp has shown, and photos without loss") { db in
            if try !db.columns(in: "photo").contains(where: { $0.name == "start_lamp" }) { try rebuild(db) }
        }
        migrator.registerMigration("9: who asked and who gave up, what took each part, and the news") { db in
            if try !db.columns(in: "capture").contains(where: { $0.name == "fired_by" }) { try rebuild(db) }
        }
        return migrator
    }

    private static func createSchema(_ db: Database) throws {
        try db.execute(sql: String(decoding: PackageResources.schema_sql, as: UTF8.self))
    }

    /// The schema's own views hold nothing: they are dropped, and made anew.
    private static func remakeViews(_ db: Database) throws {
        let schema = String(decoding: PackageResources.schema_sql, as: UTF8.self)
        for statement in schema.split(separator: ";\n") {
            guard let name = statement.firstMatch(of: #/CREATE VIEW (\w+)/#)?.1 else { continue }
            try db.execute(sql: "DROP VIEW IF EXISTS \(name); \(statement)")
        }
    }

    /// Makes every table anew by the newest schema, with the rows of the old one: for columns that were added and
    /// checks that were loosened. SQLite can alter neither so that the text of the schema stays one.
    private static func rebuild(_ db: Database) throws {
        func names(_ type: String) throws -> [String] {
            try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL", arguments: [type])
        }
        let tables = try names("table").filter { !$0.hasPrefix("sqlite_") && !$0.hasPrefix("grdb_") }
        for type in ["view", "index", "trigger"] {
            for name in try names(type) { try db.execute(sql: "DROP \(type) \(name.quoted)") }
        }
        for table in tables {
            try db.execute(sql: "ALTER TABLE \(table.quoted) RENAME TO \("old_\(table)".quoted)")
        }
        try createSchema(db)
        for table in tables {
            let columns = try db.columns(in: "old_\(table)").map(\.name.quoted).joined(separator: ", ")
            let old = "old_\(table)".quoted
            try db.execute(sql: "INSERT INTO \(table.quoted) (\(columns)) SELECT \(columns) FROM \(old)")
        }
        // Children first: a table that others refer to cannot go before them.
        for table in tables.reversed() { try db.execute(sql: "DROP TABLE \("old_\(table)".quoted)") }
    }

    /// Ends its use, with all that was written in the one file: the log beside it is empty.
    package func close() throws {
        // The last connection that closes would do so, but that is one that may not write.
        _ = try writer?.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try database.close()
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

    /// Whether an error means that the file is damaged, or is no catalogue: it has to be made anew.
    package static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
    }

    /// The catalogue has what this release does not know of.
    struct OfLaterRelease: Error, CustomStringConvertible {
        var description: String {
            "the catalogue is of a later release of Volley than this program; run that one, or `volley restore` a copy "
                + "from before"
        }
    }

    /// What SQLite says of an error, without what to do about it.
    package static func problem(of error: any Error) -> String { (error as? DatabaseError)?.message ?? "\(error)" }

    /// What an error of the catalogue means, and what to do about it where that is known.
    package static func sentence(for error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(error)" }
        let problem = error.message ?? "\(error.resultCode)"
        switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            return
                "the catalogue is damaged (\(problem)); stop the coordinator, and run `volley rebuild` on its library"
        case .SQLITE_FULL:
            return "the disk of the catalogue is full (\(problem)); free some of it"
        case .SQLITE_CANTOPEN, .SQLITE_READONLY:
            return """
                the catalogue cannot be used where it is (\(problem)): SQLite writes beside it also to read it. Look at the \
                rights of its folder; of a disk that is read-only, copy catalogue.sqlite and its -wal, if there is one, \
                into another folder
                """
        default:
            return "\(error)"
        }
    }

    /// Whether an error is the catalogue's; see ``sentence(for:)``.
    package static func isOfCatalogue(_ error: any Error) -> Bool { error is DatabaseError || error is OfLaterRelease }

    /// A pragma of the writing connection, for whoever wants proof.
    package func writerPragma(_ name: String) throws -> String? {
        try writer?.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}

extension String {
    /// As an identifier of SQL.
    fileprivate var quoted: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
