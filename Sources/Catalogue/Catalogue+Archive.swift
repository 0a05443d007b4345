package import CaptureModel
package import FoundationEssentials
import GRDB

/// A capture as a file beside its photos: every row of it, so that a catalogue can be made anew from a library.
private struct CaptureArchive: Codable {
    /// A cell of a row.
    enum Value: Codable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)

        init(_ value: DatabaseValue) {
            switch value.storage {
            case .null, .blob: self = .null
            case .int64(let number): self = .integer(number)
            case .double(let number): self = .real(number)
            case .string(let text): self = .text(text)
            }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let number = try? container.decode(Int64.self) {
                self = .integer(number)
            } else if let number = try? container.decode(Double.self) {
                self = .real(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .null: try container.encodeNil()
            case .integer(let number): try container.encode(number)
            case .real(let number): try container.encode(number)
            case .text(let text): try container.encode(text)
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

    /// Raised when an older program could not read it.
    var version = 1
    var run: Cells
    var nodes: [Cells]
    var capture: Cells
    var labels: [Cells]
    var parts: [Cells]
    var photos: [Cells]
    var events: [Cells]
}

extension Catalogue {
    /// Why an archive cannot be taken.
    package struct ArchiveError: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    /// Everything about a capture as JSON, to be kept beside its photos, and when it was accepted, in microseconds since
    /// the Unix epoch; nil where there is none of that id.
    package func archive(of uniqueID: UniqueID) async throws -> (json: Data, createdAt: Int64)? {
        let archive = try await database.read { db -> CaptureArchive? in
            func rows(_ sql: String) throws -> [CaptureArchive.Cells] {
                try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [uniqueID.rawValue]).map { row in
                    Dictionary(row.map { ($0, CaptureArchive.Value($1)) }) { $1 }
                }
            }
            guard let capture = try rows("SELECT * FROM capture WHERE unique_id = ?").first,
                let run = try rows("SELECT run.* FROM run JOIN capture ON run = run.id WHERE unique_id = ?").first
            else { return nil }
            return CaptureArchive(
                run: run,
                nodes: try rows("SELECT node.* FROM node JOIN capture_node ON node = name WHERE unique_id = ?"),
                capture: capture,
                labels: try rows("SELECT * FROM capture_label WHERE unique_id = ? ORDER BY key"),
                parts: try rows("SELECT * FROM capture_node WHERE unique_id = ? ORDER BY node"),
                photos: try rows("SELECT * FROM photo WHERE unique_id = ? ORDER BY node, photo_count"),
                events: try rows("SELECT * FROM event WHERE unique_id = ? ORDER BY node, sequence"))
        }
        guard let archive, case .integer(let createdAt)? = archive.capture["created_at"] else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try encoder.encode(archive), createdAt)
    }

    /// How far a capture had come when it was archived; nil for what is no archive.
    package static func progress(of archive: Data) -> (isFinal: Bool, storedPhotoCount: Int, eventCount: Int)? {
        guard let content = try? JSONDecoder().decode(CaptureArchive.self, from: archive),
            case .text(let word)? = content.capture["state"], let state = CaptureState(rawValue: word)
        else { return nil }
        let stored = content.photos.count { if case .text("stored")? = $0["state"] { true } else { false } }
        return (state.isFinal, stored, content.events.count)
    }

    /// The request that an archived capture was made for is another capture's in the catalogue.
    package struct RequestTaken: Error {
        package let uniqueID: UniqueID
    }

    /// Takes a capture from its archive; what the catalogue has of it already is replaced.
    ///
    /// - Parameters:
    ///   - uniqueID: the capture's.
    ///   - refused: a capture that never was, whose request is this one's; removed.
    ///   - check: throws for a capture that is not to be taken.
    /// - Throws: ``ArchiveError`` for what is no archive of it that can be taken, ``RequestTaken``; nothing is changed
    ///   then.
    package func restore(
        _ uniqueID: UniqueID, from archive: Data, replacing refused: UniqueID? = nil,
        check: @escaping @Sendable (CaptureDetail) throws -> Void
    ) async throws {
        let content: CaptureArchive
        do {
            content = try JSONDecoder().decode(CaptureArchive.self, from: archive)
        } catch {
            throw ArchiveError("it is no archive of a capture")
        }
        guard content.version == 1, case .integer(let id)? = content.capture["unique_id"] else {
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
            // What cannot be read would keep every start from everything else.
            guard case .text(let plan)? = capture["plan"], let detail = try Self.detail(of: id, db) else {
                throw ArchiveError("it lacks the capture itself")
            }
            _ = try Self.plan(plan)
            try check(detail)
        }
    }

    /// The run of the same anchor, or a new one: before all others, as it is not the one before this start; see
    /// ``formerRunStart()``.
    private static func run(_ cells: CaptureArchive.Cells, _ db: Database) throws -> Int64 {
        let known = try Int64.fetchOne(
            db, sql: "SELECT id FROM run WHERE started_at = ? AND started_rig_time_ns = ?",
            arguments: [cells["started_at"]?.column, cells["started_rig_time_ns"]?.column])
        if let known {
            // Of one run the archive that was written last knows best.
            try db.execute(
                sql: """
                    UPDATE run SET anchored_at = ?1, anchored_rig_time_ns = ?2
                    WHERE id = ?3 AND ?2 > coalesce(anchored_rig_time_ns, 0)
                    """,
                arguments: [cells["anchored_at"]?.column, cells["anchored_rig_time_ns"]?.column, known])
            return known
        }
        var anchor = cells
        anchor["id"] = .integer(try Int64.fetchOne(db, sql: "SELECT min(id) - 1 FROM run") ?? 0)
        try insert(anchor, into: "run", db)
        return db.lastInsertedRowID
    }

    /// Inserts what of a row this version has columns for.
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

    // MARK: Backup and what may not be

    /// Copies the catalogue, as it is at one instant, into a new file; meanwhile it is written to.
    ///
    /// - Parameters:
    ///   - path: of a file that is not there yet.
    ///   - time: now, in microseconds since the Unix epoch.
    /// - Throws: also for a copy of what is damaged; see ``isDamage(_:)``.
    package func backup(to path: String, at time: Int64) throws {
        let copy = try DatabaseQueue(path: path)
        try copyAll(to: copy, at: time)
        let problem = try copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        if let problem, problem != "ok" { throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem) }
        // One file, that needs no other beside it.
        try copy.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
        try copy.close()
    }

    /// Brings what a program that was killed left in the log beside a catalogue into its file.
    ///
    /// - Throws: for a catalogue that is damaged; nothing is changed then.
    package static func foldLog(of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try queue.close()
    }

    /// Makes another catalogue a copy of this one.
    package func backup(to other: Catalogue, at time: Int64) throws {
        guard let target = other.writer else { preconditionFailure("a catalogue opened for reading was written to") }
        try copyAll(to: target, at: time)
    }

    private func copyAll(to copy: some DatabaseWriter, at time: Int64) throws {
        try database.backup(to: copy)
        // A run that no library remembers: who begins with the copy learns from it that it is another catalogue.
        try copy.write {
            try $0.execute(sql: "INSERT INTO run (started_at, started_rig_time_ns) VALUES (?, 0)", arguments: [time])
        }
    }

    /// What in the rows cannot be, a sentence each: damage, gaps, and states that the photos do not bear out.
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
                    SELECT 'capture ' || unique_id || ' is complete and lacks photos' FROM capture
                    WHERE state = 'complete' AND (
                        SELECT count(*) FROM photo WHERE photo.unique_id = capture.unique_id AND state = 'stored'
                    ) <> (SELECT sum(expected_photo_count) FROM capture_node WHERE unique_id = capture.unique_id)
                    """)
            return problems
        }
    }

    /// When the run before this one began, in microseconds since the Unix epoch; nil for the first.
    package func formerRunStart() throws -> Int64? {
        try database.read { db in
            try Int64.fetchOne(db, sql: "SELECT started_at FROM run WHERE id < ? ORDER BY id DESC", arguments: [run])
        }
    }

    /// Of a capture that is not over, in SQL.
    private static let isOpen = "state IN ('preparing', 'firing', 'collecting')"

    /// The captures from an instant on and those before it that are not over, oldest first.
    ///
    /// - Parameter microseconds: since the Unix epoch; nil for all captures.
    package func ids(sinceOrUnfinished microseconds: Int64?) async throws -> [UniqueID] {
        try await database.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT unique_id FROM capture
                    WHERE created_at >= ? OR \(Self.isOpen) ORDER BY unique_id
                    """,
                arguments: [microseconds ?? .min]
            ).map(UniqueID.init(rawValue:))
        }
    }

    /// Of all captures, whatever became of them.
    package func captureCount() async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM capture") ?? 0 }
    }

    /// What became of the photos that all captures were to have.
    package struct PhotoCounts: Sendable, Hashable {
        /// Whatever became of them.
        package let expected: Int
        /// In the library.
        package let stored: Int
        /// A node told of them and has not sent them yet, or their capture is not over.
        package let awaited: Int
        /// They were in the library or in a node's spool, and are not any more.
        package let lost: Int

        /// Of captures that are over: they could not be taken, or their node has not been back since.
        package var failed: Int { expected - stored - awaited - lost }
    }

    /// Of all captures.
    package func photoCounts() async throws -> PhotoCounts {
        try await database.read { db in
            func number(_ sql: String) throws -> Int { try Int.fetchOne(db, sql: "SELECT \(sql)") ?? 0 }
            let isOpen = "unique_id IN (SELECT unique_id FROM capture WHERE \(Self.isOpen))"
            let isLost = "state = 'failed' AND sha256 IS NOT NULL AND error_code = 'storageFailed'"
            let isAwaited = "state <> 'stored' AND sha256 IS NOT NULL AND NOT (\(isLost))"
            return PhotoCounts(
                expected: try number("sum(expected_photo_count) FROM capture_node"),
                stored: try number("count(*) FROM photo WHERE state = 'stored'"),
                awaited: try number("count(*) FROM photo WHERE \(isAwaited) AND NOT \(isOpen)")
                    + number("sum(expected_photo_count) FROM capture_node WHERE \(isOpen)")
                    - number("count(*) FROM photo WHERE \(isOpen) AND (state = 'stored' OR \(isLost))"),
                lost: try number("count(*) FROM photo WHERE \(isLost)"))
        }
    }

    /// Whether a photo is stored, or failed for good: nobody waits for it. One that its node owed when it was lost may
    /// still come.
    package func isSettled(_ uniqueID: UniqueID, node: String, photoCount: Int) async throws -> Bool {
        try await database.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT state = 'stored'
                        OR state = 'failed' AND (sha256 IS NULL OR error_code = 'storageFailed')
                    FROM photo WHERE unique_id = ? AND node = ? AND photo_count = ?
                    """,
                arguments: [uniqueID.rawValue, node, photoCount]) ?? false
        }
    }
}
