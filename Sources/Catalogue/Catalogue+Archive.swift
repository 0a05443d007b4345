package import CaptureModel
package import FoundationEssentials
import GRDB

/// A capture as a file beside its photos: all its rows, so that a catalogue can be rebuilt from a library.
private struct CaptureArchive: Decodable {
    /// Raised whenever older programs can no longer read it.
    static let version = 1

    /// A cell of a row.
    enum Value: Decodable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Int64.self) {
                self = .integer(number)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .real(try container.decode(Double.self))
            }
        }

        var column: (any DatabaseValueConvertible)? {
            switch self {
            case .null: nil
            case .integer(let number): number
            case .real(let number): number
            case .text(let text): text
            }
        }
    }

    typealias Cells = [String: Value]

    var version: Int
    var run: Cells
    var nodes: [Cells]
    var capture: Cells
    var labels: [Cells]
    var parts: [Cells]
    var photos: [Cells]
    var events: [Cells]
}

/// What of an archive says how far its capture had come: a library may have many, and reading all their cells takes
/// long. What is not looked at must be there all the same, or it is no archive.
private struct ArchiveOutline: Decodable {
    struct Cells: Decodable {
        let state: String?
        let annotatedAt: UTCTime?

        enum CodingKeys: String, CodingKey {
            case state
            case annotatedAt = "annotated_at"
        }
    }

    let version: Int
    let run: Cells
    let nodes: [Cells]
    let capture: Cells
    let labels: [Cells]
    let parts: [Cells]
    let photos: [Cells]
    let events: [Cells]
}

extension Catalogue {
    /// Why an archive cannot be restored.
    package struct ArchiveError: Error, CustomStringConvertible {
        /// The reason, as a clause about the archive.
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// Everything about a capture as JSON, to be kept beside its photos, when it was accepted, and where
    /// its photos belong; nil if there is no capture with that id.
    package func archive(
        of uniqueID: UniqueID
    ) async throws -> (json: Data, createdAt: UTCTime, places: [PhotoPlace])? {
        try await database.read { db in
            let id = uniqueID.rawValue
            guard
                let createdAt = try UTCTime.fetchOne(
                    db.cachedStatement(sql: "SELECT created_at FROM capture WHERE unique_id = ?"), arguments: [id])
            else { return nil }
            func rows(_ table: String, _ source: String) throws -> String {
                let sql = "SELECT json_group_array(\(try Self.object(table, db))) FROM (\(source))"
                return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? "[]"
            }
            func row(_ table: String, _ source: String) throws -> String {
                let sql = "SELECT \(try Self.object(table, db)) FROM (\(source))"
                return try String.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? "null"
            }
            func ordered(_ table: String, by order: String) throws -> String {
                try rows(table, "SELECT * FROM \(table) WHERE unique_id = ? ORDER BY \(order)")
            }
            let parts = [
                ("capture", try row("capture", "SELECT * FROM capture WHERE unique_id = ?")),
                ("events", try ordered("event", by: "node, sequence")),
                ("labels", try ordered("capture_label", by: "key")),
                (
                    "nodes",
                    try rows("node", "SELECT node.* FROM node JOIN capture_node ON node = name WHERE unique_id = ?")
                ),
                ("parts", try ordered("capture_node", by: "node")),
                ("photos", try ordered("photo", by: "node, photo_count")),
                ("run", try row("run", "SELECT run.* FROM run JOIN capture ON run = run.id WHERE unique_id = ?")),
                ("version", "\(CaptureArchive.version)"),
            ]
            let json = "{" + parts.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
            return (Data(json.utf8), createdAt, try Self.photoPlaces(of: uniqueID, db))
        }
    }

    /// A row of a table as a JSON object, in SQL: SQLite writes it many times faster than an encoder does.
    private static func object(_ table: String, _ db: Database) throws -> String {
        let cells = try db.columns(in: table).map { column in
            // By itself, SQLite writes 15 digits of a number, which is not all of it. Its functions take 127 arguments, which
            // is 63 columns.
            let value =
                column.type == "REAL"
                ? "json(iif(\(column.name) IS NULL, 'null', printf('%!.17g', \(column.name))))" : column.name
            return "'\(column.name)', \(value)"
        }
        return "json_object(\(cells.joined(separator: ", ")))"
    }

    /// How far a capture had come when it was archived; nil if the data are not an archive.
    package static func progress(of archive: Data) -> ArchiveProgress? {
        guard let content = try? JSONDecoder().decode(ArchiveOutline.self, from: archive),
            let state = content.capture.state.flatMap(CaptureState.init(rawValue:))
        else { return nil }
        return ArchiveProgress(
            isFinal: state.isFinal,
            storedPhotoCount: content.photos.count { ["stored", "deleted"].contains($0.state) },
            eventCount: content.events.count, annotatedAt: content.capture.annotatedAt)
    }

    /// In the catalogue, the request behind an archived capture belongs to another capture.
    package struct RequestTaken: Error {
        /// That other capture.
        package let uniqueID: UniqueID
    }

    /// Restores a capture from its archive, replacing what the catalogue already has of it.
    ///
    /// - Parameters:
    ///   - uniqueID: the capture's.
    ///   - refused: a capture with the same request that never came about; it is removed.
    ///   - check: throws for a capture that must not be restored.
    /// - Throws: ``ArchiveError`` if the data are not an archive of this capture that can be restored;
    ///   ``RequestTaken``. Nothing is changed then.
    package func restore(
        _ uniqueID: UniqueID, from archive: Data, replacing refused: UniqueID? = nil,
        check: @escaping @Sendable (CaptureDetail) throws -> Void
    ) async throws {
        let content: CaptureArchive
        do {
            content = try JSONDecoder().decode(CaptureArchive.self, from: archive)
        } catch {
            throw ArchiveError("it is not an archive of a capture")
        }
        guard content.version == CaptureArchive.version, case .integer(let id)? = content.capture["unique_id"] else {
            throw ArchiveError("it is an archive of another version of Volley")
        }
        guard id == uniqueID.rawValue else {
            throw ArchiveError("it is the archive of capture \(id)")
        }
        guard let writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try await writer.write { db in
            try db.execute(
                sql: "DELETE FROM capture WHERE unique_id IN (?, ?)", arguments: [id, refused?.rawValue])
            var capture = content.capture
            let other = try Int64.fetchOne(
                db, sql: "SELECT unique_id FROM capture WHERE request_id = ?",
                arguments: [capture["request_id"]?.column])
            if let other { throw RequestTaken(uniqueID: UniqueID(rawValue: other)) }
            capture["run"] = .integer(try Self.run(content.run, db))
            for node in content.nodes { try Self.insert(node, into: "node", or: "IGNORE", db) }
            try Self.insert(capture, into: "capture", db)
            for (table, rows) in [
                ("capture_label", content.labels), ("capture_node", content.parts), ("photo", content.photos),
                ("event", content.events),
            ] {
                for row in rows { try Self.insert(row, into: table, db) }
            }
            if content.parts.contains(where: { $0["phase"] == nil }) { try Self.derivePhases(db, of: id) }
            if capture["widest_spread_ns"] == nil { try CatalogueChange.updateSpread(of: uniqueID, db) }
            // A capture that cannot be read would block everything else at every start.
            guard case .text(let plan)? = capture["plan"], let detail = try Self.detail(of: id, db) else {
                throw ArchiveError("it lacks the capture itself")
            }
            _ = try Self.plan(plan)
            try check(detail)
        }
    }

    /// The run with the same anchor, or a new one. A new one goes before all others, as it must not become the run
    /// before this start; see ``formerRunStart()``.
    private static func run(_ cells: CaptureArchive.Cells, _ db: Database) throws -> Int64 {
        let known = try Int64.fetchOne(
            db, sql: "SELECT id FROM run WHERE started_at = ? AND started_rig_time_ns = ?",
            arguments: [cells["started_at"]?.column, cells["started_rig_time_ns"]?.column])
        if let known {
            // Of the archives of one run, the one written last knows best: its clock as it was set last, and all sleeps.
            try db.execute(
                sql: """
                    UPDATE run SET anchored_at = ?1, anchored_rig_time_ns = ?2
                    WHERE id = ?3 AND ?2 > coalesce(anchored_rig_time_ns, 0)
                    """,
                arguments: [cells["anchored_at"]?.column, cells["anchored_rig_time_ns"]?.column, known])
            try db.execute(
                sql: "UPDATE run SET sleeps = ?1 WHERE id = ?2 AND length(?1) > length(coalesce(sleeps, ''))",
                arguments: [cells["sleeps"]?.column, known])
            return known
        }
        var anchor = cells
        anchor["id"] = .integer(try Int64.fetchOne(db, sql: "SELECT min(id) - 1 FROM run") ?? 0)
        try insert(anchor, into: "run", db)
        return db.lastInsertedRowID
    }

    /// Inserts those cells of a row that this version has columns for.
    private static func insert(
        _ cells: CaptureArchive.Cells, into table: String, or conflict: String = "ABORT", _ db: Database
    ) throws {
        let columns = try db.columns(in: table).map(\.name).filter { cells[$0] != nil }
        try db.execute(
            sql: """
                INSERT OR \(conflict) INTO \(table) (\(columns.joined(separator: ", ")))
                VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
                """,
            arguments: StatementArguments(columns.map { cells[$0]?.column }))
    }

    // MARK: Backup and consistency

    /// Copies the catalogue, as of one instant, into a new file; it may be written to meanwhile.
    ///
    /// - Parameters:
    ///   - path: of a file that does not exist yet.
    ///   - time: now.
    /// - Throws: if the copy is of a damaged catalogue, too; see ``isDamage(_:)``.
    package func backup(to path: String, at time: UTCTime) throws {
        let copy = try DatabaseQueue(path: path)
        try copyAll(to: copy, at: time)
        let problem = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        if let problem, problem != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem) }
        // One file that needs no other beside it.
        try copy.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
        try copy.close()
    }

    /// Moves what a killed program left in the log beside a catalogue into the catalogue's file.
    ///
    /// - Throws: if the catalogue is damaged; nothing is changed then.
    package static func foldLog(of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }

    /// Turns another catalogue into a copy of this one.
    package func backup(to other: Catalogue, at time: UTCTime) throws {
        guard let target = other.writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try copyAll(to: target, at: time)
    }

    private func copyAll(to copy: some DatabaseWriter, at time: UTCTime) throws {
        try database.backup(to: copy)
        // A run that no library remembers: whoever starts on the copy can tell by it that this is another catalogue.
        try copy.write {
            try $0.execute(sql: "INSERT INTO run (started_at, started_rig_time_ns) VALUES (?, 0)", arguments: [time])
        }
    }

    /// Inconsistencies in the rows, one sentence each: damage, gaps, and states that the photos do not bear out.
    package func problems() async throws -> [String] {
        try await database.read { db in
            var problems = try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
            problems += try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map {
                "a row of \($0[0] as String) is orphaned"
            }
            problems += try String.fetchAll(
                db,
                sql: """
                    SELECT 'the events of ' || node || ' in capture ' || unique_id || ' have a gap' FROM event
                    GROUP BY unique_id, node HAVING count(*) <> max(sequence)
                    UNION ALL
                    SELECT 'capture ' || unique_id || ' is complete but lacks photos' FROM capture
                    WHERE state = 'complete' AND (
                        SELECT count(*) FROM photo WHERE photo.unique_id = capture.unique_id
                            AND state IN ('stored', 'deleted')
                    ) <> (SELECT sum(expected_photo_count) FROM capture_node WHERE unique_id = capture.unique_id)
                    """)
            return problems
        }
    }

    /// When the run before this one began; nil for the first run.
    package func formerRunStart() throws -> UTCTime? {
        try database.read { db in
            try UTCTime.fetchOne(db, sql: "SELECT started_at FROM run WHERE id < ? ORDER BY id DESC", arguments: [run])
        }
    }

    /// Whether a capture is still open, in SQL.
    private static let isOpen = "state IN ('preparing', 'firing', 'collecting')"

    /// Whether a capture is of the time from ?1 on, is still open, or something became of it since, in SQL. News are
    /// numbered by microseconds of UTC, and never fall back where the clock is set back.
    private static let isTouched = """
        created_at >= ?1 OR annotated_at >= ?1 OR \(isOpen)
            OR unique_id IN (SELECT unique_id FROM news WHERE number >= ?1)
        """

    /// The captures from an instant on, those before it that are still open, and those of which there is news since, oldest
    /// first: an archive beside their photos may be owed.
    ///
    /// - Parameter time: nil for all captures.
    package func ids(sinceOrUnfinished time: UTCTime?) async throws -> [UniqueID] {
        try await database.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT unique_id FROM capture
                    WHERE \(time == nil ? "?1 IS NULL" : Self.isTouched)
                    ORDER BY unique_id
                    """,
                arguments: [time]
            ).map(UniqueID.init(rawValue:))
        }
    }

    /// How many captures there are, whatever became of them.
    package func captureCount() async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM capture") ?? 0 }
    }

    /// What became of the photos that were expected of all captures.
    package struct PhotoCounts: Sendable, Hashable {
        /// All of them, whatever became of them.
        package let expected: Int
        /// Those in the library.
        package let stored: Int
        /// Those that a node has reported but not sent yet, or whose capture is being taken or collected.
        package let awaited: Int
        /// Those that were in the library or in a node's spool, and no longer are.
        package let lost: Int
        /// Those that somebody deleted.
        package let deleted: Int
        /// Those of captures that are still to be fired, or were cancelled, that are none of these.
        package let untaken: Int

        /// Those of finished captures that could not be taken, or whose node has not been back since.
        package var failed: Int { expected - stored - awaited - lost - deleted - untaken }
    }

    /// Counts the photos of all captures.
    package func photoCounts() async throws -> PhotoCounts {
        try await database.read { db in
            func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT \(sql)") ?? 0 }
            let isUnderWay = "unique_id IN (SELECT unique_id FROM capture WHERE state IN ('firing', 'collecting'))"
            let isUntaken = "unique_id IN (SELECT unique_id FROM capture WHERE state IN ('preparing', 'cancelled'))"
            let isLost = "state = 'failed' AND sha256 IS NOT NULL AND error_code = 'storageFailed'"
            let isWanted =
                try Self.hasDeletions(db)
                ? " AND unique_id NOT IN (SELECT unique_id FROM capture WHERE deleted_at IS NOT NULL)" : ""
            let isAwaited =
                "state NOT IN ('stored', 'deleted') AND sha256 IS NOT NULL AND error_code IS NOT 'captureDeleted' "
                + "AND NOT (\(isLost))" + isWanted
            return PhotoCounts(
                expected: try number("sum(expected_photo_count) FROM capture_node"),
                stored: try number("count(*) FROM photo WHERE state = 'stored'"),
                awaited: try number("count(*) FROM photo WHERE \(isAwaited) AND NOT \(isUnderWay)")
                    + number("sum(expected_photo_count) FROM capture_node WHERE \(isUnderWay)")
                    - number("count(*) FROM photo WHERE \(isUnderWay) AND (state = 'stored' OR \(isLost))"),
                lost: try number("count(*) FROM photo WHERE \(isLost)"),
                deleted: try number("count(*) FROM photo WHERE state = 'deleted'"),
                untaken: try number("sum(expected_photo_count) FROM capture_node WHERE \(isUntaken)")
                    - number(
                        """
                        count(*) FROM photo WHERE \(isUntaken)
                            AND (state IN ('stored', 'deleted') OR \(isLost) OR \(isAwaited))
                        """))
        }
    }

    /// Whether a photo is stored, or has failed for good, so that nobody waits for it. One that was still owed when its
    /// node was lost may yet come.
    package func isSettled(_ uniqueID: UniqueID, node: NodeName, photoCount: Int) async throws -> Bool {
        try await database.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT state IN ('stored', 'deleted')
                        OR state = 'failed' AND (sha256 IS NULL OR error_code IN ('storageFailed', 'captureDeleted'))
                    FROM photo WHERE unique_id = ? AND node = ? AND photo_count = ?
                    """,
                arguments: [uniqueID.rawValue, node, photoCount]) ?? false
        }
    }
}
