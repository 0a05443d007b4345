package import CaptureModel
import Dispatch
import GRDB

/// The one SQLite file that can answer for what happened.
///
/// One connection writes, in WAL mode with `synchronous=FULL`, so that what is committed survives a power cut. Others
/// read meanwhile.
package final class Catalogue: Sendable {
    let database: any DatabaseReader & Sendable
    let writer: (any DatabaseWriter)?
    /// The id of the row in `run` that new captures belong to.
    let run: Int64
    /// Answers questions about single captures, one after the other. A concurrent queue shares its threads with Swift's
    /// own tasks: questions that wait for a connection would hold up the tasks that free one.
    let questions = DispatchQueue(label: "catalogue questions")

    /// Opens the coordinator's catalogue, creating or migrating it, and records the run with its anchor of rig time.
    ///
    /// - Parameters:
    ///   - startedAt: when this run begins.
    ///   - rigTime: the same instant in rig time.
    package init(path: String, startedAt: UTCTime, rigTime: RigTime) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: path, configuration: configuration)
        // DatabasePool sets NORMAL when it turns WAL on, after anything that a configuration can do.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        run = try Self.begin(pool, startedAt, rigTime)
        // A commit is tried twice, and operators must hear within ten seconds that another program has locked it.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 2000") }
        database = pool
        writer = pool
    }

    /// Opens a catalogue in memory, for a rig in virtual time; it exists as long as one of that name is open.
    package init(inMemory name: String, startedAt: UTCTime, rigTime: RigTime) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        let queue = try DatabaseQueue(named: name, configuration: configuration)
        run = try Self.begin(queue, startedAt, rigTime)
        database = queue
        writer = queue
    }

    private static func begin(
        _ writer: some DatabaseWriter, _ startedAt: UTCTime, _ rigTime: RigTime
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

    /// Opens a catalogue to add to it what its coordinator does not know, whether or not that runs.
    ///
    /// - Throws: ``NotOfThisRelease`` for one that the coordinator has to bring up to date first.
    package init(annotating path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        guard try queue.read(Self.migrator.hasCompletedMigrations), try !queue.read(Self.migrator.hasBeenSuperseded)
        else { throw NotOfThisRelease() }
        database = queue
        writer = queue
        run = 0
    }

    /// Opens a catalogue for reading only, whether or not a coordinator runs.
    package init(reading path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        database = try DatabaseQueue(path: path, configuration: configuration)
        writer = nil
        run = 0
    }

    /// The schema's history. The first step creates the newest schema; later ones carry older catalogues over to it.
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
        // Views contain no foreign keys that would have to be checked.
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
        migrator.registerMigration("10: how far each part has come") { db in
            // An earlier step may have added the column, with nothing in it.
            if try !db.columns(in: "capture_node").contains(where: { $0.name == "phase" }) { try rebuild(db) }
            try derivePhases(db)
        }
        migrator.registerMigration("11: parts that are still to come") { db in
            try db.execute(
                sql: """
                    CREATE INDEX IF NOT EXISTS capture_node_unfinished ON capture_node (unique_id) \
                    WHERE state IN ('preparing', 'firing', 'collecting')
                    """)
        }
        migrator.registerMigration("12: who had what done") { db in
            if try !db.tableExists("audit") {
                try db.execute(
                    sql: """
                        CREATE TABLE audit (
                            id INTEGER PRIMARY KEY,
                            at INTEGER NOT NULL,
                            user TEXT NOT NULL,
                            key TEXT,
                            act TEXT NOT NULL,
                            subject TEXT,
                            arguments TEXT NOT NULL,
                            result TEXT NOT NULL,
                            message TEXT
                        ) STRICT;
                        CREATE INDEX audit_by_time ON audit (at);
                        """)
            }
        }
        migrator.registerMigration("13: second copies of photos") { db in
            if try !db.tableExists("copy") {
                try db.execute(
                    sql: """
                        CREATE TABLE copy (
                            unique_id INTEGER NOT NULL,
                            node TEXT NOT NULL,
                            photo_count INTEGER NOT NULL,
                            place TEXT NOT NULL,
                            verified_at INTEGER NOT NULL,
                            PRIMARY KEY (unique_id, node, photo_count, place),
                            FOREIGN KEY (unique_id, node, photo_count) REFERENCES photo (unique_id, node, photo_count) ON DELETE CASCADE
                        ) STRICT, WITHOUT ROWID;
                        """)
            }
        }
        migrator.registerMigration("14: what went wrong is found") { db in
            for table in ["capture_node", "photo"] {
                try db.execute(
                    sql: """
                        CREATE INDEX IF NOT EXISTS \(table)_by_error ON \(table) (error_code, unique_id) \
                        WHERE error_code IS NOT NULL
                        """)
            }
        }
        migrator.registerMigration("15: subjects, takes, and what people say afterwards") { db in
            if try !db.columns(in: "capture").contains(where: { $0.name == "annotated_at" }) {
                try rebuild(db)
            }
            // An earlier step may have added the columns, with nothing in them.
            try db.execute(
                sql: """
                    UPDATE capture SET widest_spread_ns = widest FROM (
                        SELECT unique_id AS id, max(spread_ns) AS widest FROM v_sync WHERE nodes > 1 GROUP BY unique_id)
                    WHERE unique_id = id
                    """)
        }
        migrator.registerMigration("16: what was deleted") { db in
            if try !db.columns(in: "capture").contains(where: { $0.name == "deleted_at" }) { try rebuild(db) }
        }
        migrator.registerMigration("17: where the cameras stand") { db in
            if try !db.tableExists("geometry") {
                try db.execute(
                    sql: """
                        CREATE TABLE geometry (
                            version INTEGER PRIMARY KEY,
                            since INTEGER NOT NULL,
                            geometry TEXT NOT NULL CHECK (json_valid(geometry))
                        ) STRICT;
                        """)
            }
        }
        migrator.registerMigration("18: sleeps of the coordinator's machine, and the clock that throws away") { db in
            if try !db.columns(in: "run").contains(where: { $0.name == "sleeps" }) { try rebuild(db) }
        }
        migrator.registerMigration("19: names in one form of Unicode") { try composeNames($0) }
        return migrator
    }

    /// Brings what people typed into the composed form of Unicode; takes of what were two subjects are numbered anew.
    private static func composeNames(_ db: Database) throws {
        func isOther(_ text: String) -> Bool { !text.utf8.elementsEqual(text.composed.utf8) }
        for column in ["session", "subject", "plan_name"] {
            let texts = try String.fetchAll(
                db, sql: "SELECT DISTINCT \(column) FROM capture WHERE \(column) IS NOT NULL")
            for text in texts where isOther(text) {
                try db.execute(
                    sql: "UPDATE capture SET \(column) = ? WHERE \(column) = ?", arguments: [text.composed, text])
                guard column != "plan_name" else { continue }
                try db.execute(
                    sql: """
                        UPDATE capture SET take = (
                            SELECT count(*) FROM capture AS other WHERE other.session IS capture.session
                                AND other.subject = capture.subject AND other.unique_id <= capture.unique_id)
                        WHERE \(column) = ? AND subject IS NOT NULL
                        """, arguments: [text.composed])
            }
        }
        for column in ["key", "value"] {
            for text in try String.fetchAll(db, sql: "SELECT DISTINCT \(column) FROM capture_label") where isOther(text)
            {
                try db.execute(
                    sql: "UPDATE OR REPLACE capture_label SET \(column) = ? WHERE \(column) = ?",
                    arguments: [text.composed, text])
            }
        }
    }

    /// Says of parts from before the tenth migration how far they had come: what failed without a single event never
    /// began, and what an ended capture lacks is no longer waited for, unless it was on its way.
    ///
    /// - Parameter id: of one capture; nil for all.
    static func derivePhases(_ db: Database, of id: Int64? = nil) throws {
        try db.execute(
            sql: """
                UPDATE capture_node SET phase = CASE
                    WHEN state IN ('complete', 'partial', 'failed', 'cancelled') AND NOT EXISTS (
                        SELECT 1 FROM event WHERE event.unique_id = capture_node.unique_id
                            AND event.node = capture_node.node) THEN 'out'
                    WHEN EXISTS (
                        SELECT 1 FROM photo WHERE photo.unique_id = capture_node.unique_id
                            AND photo.node = capture_node.node AND photo.state = 'pending') THEN 'owing'
                    WHEN state <> 'complete' AND (
                        SELECT state FROM capture WHERE capture.unique_id = capture_node.unique_id
                    ) IN ('complete', 'partial', 'failed', 'cancelled') THEN 'settled'
                    ELSE 'owing' END
                \(id == nil ? "" : "WHERE unique_id = ?")
                """,
            arguments: id.map { [$0] } ?? [])
    }

    private static func createSchema(_ db: Database) throws {
        try db.execute(sql: String(decoding: PackageResources.schema_sql, as: UTF8.self))
    }

    /// Recreates the schema's own views; they hold no data.
    private static func remakeViews(_ db: Database) throws {
        let schema = String(decoding: PackageResources.schema_sql, as: UTF8.self)
        for statement in schema.split(separator: ";\n") {
            guard let name = statement.firstMatch(of: #/CREATE VIEW (\w+)/#)?.1 else { continue }
            try db.execute(sql: "DROP VIEW IF EXISTS \(name); \(statement)")
        }
    }

    /// Recreates every table by the newest schema, with the rows of the old one, for added columns and loosened checks.
    /// SQLite can alter neither in a way that leaves the schema's text the same as a new catalogue's.
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
        // Children first: a table that others refer to cannot be dropped before them.
        for table in tables.reversed() { try db.execute(sql: "DROP TABLE \("old_\(table)".quoted)") }
    }

    /// Closes the catalogue, with everything in its one file and the log beside it empty.
    package func close() throws {
        // SQLite would do so when the last connection closes, but that one may not write.
        _ = try writer?.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try database.close()
    }

    /// Commits changes, in order, in one transaction; durable when this returns.
    package func commit(_ changes: [CatalogueChange]) async throws {
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        let run = run
        try await writer.write { db in
            for change in changes { try change.apply(to: db, run: run) }
            // Once for each capture, whose nodes may be many.
            for id in Set(changes.compactMap(\.ended)) { try CatalogueChange.updateSpread(of: id, db) }
        }
    }

    /// Whether an error will recur however often the change is retried: the schema refused it.
    package static func isPermanent(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_CONSTRAINT || error.resultCode == .SQLITE_MISMATCH
    }

    /// Whether an error means that its disk is full.
    package static func isFull(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_FULL
    }

    /// Whether an error means that its disk fails.
    package static func isOfDisk(_ error: any Error) -> Bool {
        [.SQLITE_IOERR, .SQLITE_CANTOPEN].contains((error as? DatabaseError)?.resultCode)
    }

    /// Whether an error means that SQLite cannot work on the file's disk: it cannot map memory that programs share, or lock.
    package static func isUnsuitable(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        let codes: [ResultCode] = [
            .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_SHMOPEN, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMLOCK,
            .SQLITE_IOERR_LOCK, .SQLITE_IOERR_RDLOCK, .SQLITE_PROTOCOL, .SQLITE_NOLFS,
        ]
        return codes.contains(error.extendedResultCode)
    }

    /// Whether an error means that the file is damaged or is not a catalogue: it has to be rebuilt.
    package static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB
    }

    /// The catalogue was written by a later release than this one.
    struct NotOfThisRelease: Error, CustomStringConvertible {
        var description: String {
            "the catalogue is from another release of Volley than this program; start this release's coordinator once, or use "
                + "that release's command"
        }
    }

    /// A schema that this release does not know.
    struct OfLaterRelease: Error, CustomStringConvertible {
        var description: String {
            "the catalogue is from a later release of Volley than this program; run that release, or `volley restore` "
                + "an earlier copy"
        }
    }

    /// What SQLite says about an error, without advice.
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
            return "the catalogue's disk is full (\(problem)); free some space on it"
        case .SQLITE_CANTOPEN, .SQLITE_READONLY:
            return """
                the catalogue cannot be used where it is (\(problem)): SQLite writes beside it even to read it. Check \
                the permissions of its folder; if the disk is read-only, copy catalogue.sqlite, and its -wal if there \
                is one, to another folder
                """
        default:
            return "\(error)"
        }
    }

    /// Whether an error comes from a catalogue; see ``sentence(for:)``.
    package static func isOfCatalogue(_ error: any Error) -> Bool {
        error is DatabaseError || error is OfLaterRelease || error is NotOfThisRelease
    }

    /// The value of a pragma on the writing connection, for whoever wants proof.
    package func writerPragma(_ name: String) throws -> String? {
        try writer?.writeWithoutTransaction { try String.fetchOne($0, sql: "PRAGMA \(name)") }
    }
}

extension String {
    /// Quoted as an SQL identifier.
    fileprivate var quoted: String { "\"" + replacing("\"", with: "\"\"") + "\"" }
}
