package import CaptureModel
import Dispatch
import FoundationEssentials
import GRDB

extension Catalogue {
    /// Everything about one capture; nil if there is none with that id.
    package func capture(_ uniqueID: UniqueID) async throws -> CaptureDetail? {
        // GRDB's own asynchronous read switches threads four times instead of twice, which costs a tenth of the time
        // or more.
        try await withCheckedThrowingContinuation { continuation in
            questions.async { [database] in
                continuation.resume(with: Result { try database.read { try Self.detail(of: uniqueID.rawValue, $0) } })
            }
        }
    }

    /// The capture that a request became, if any; read on the writing connection, where no slow query is ahead.
    package func uniqueID(ofRequest requestID: String) async throws -> UniqueID? {
        guard let writer else { preconditionFailure("a catalogue opened for reading takes no requests") }
        return try await writer.writeWithoutTransaction { db in
            try Int64.fetchOne(db, sql: "SELECT unique_id FROM capture WHERE request_id = ?", arguments: [requestID])
                .map(UniqueID.init(rawValue:))
        }
    }

    /// The greatest id in the catalogue; zero for an empty one.
    package func lastUniqueID() throws -> UniqueID {
        try database.read { db in
            UniqueID(rawValue: try Int64.fetchOne(db, sql: "SELECT max(unique_id) FROM capture") ?? 0)
        }
    }

    /// The captures that a previous run left unfinished, or with a part or a photo that was still to come, oldest first.
    ///
    /// A capture has ended though the part of a node that came back afterwards has not.
    package func unfinishedCaptures() async throws -> [UniqueID] {
        try await database.read { db in
            try Int64.fetchAll(
                db,
                sql: """
                    SELECT unique_id FROM capture WHERE state IN ('preparing', 'firing', 'collecting')
                    UNION
                    SELECT unique_id FROM capture_node WHERE state IN ('preparing', 'firing', 'collecting')
                    UNION
                    SELECT unique_id FROM photo WHERE state = 'pending'
                    ORDER BY unique_id
                    """
            ).map(UniqueID.init(rawValue:))
        }
    }

    /// The plan of a capture; nil if there is none with that id.
    ///
    /// - Throws: a `DecodingError`, too, if what is stored is not a plan.
    package func plan(of uniqueID: UniqueID) async throws -> Plan? {
        let json = try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT plan FROM capture WHERE unique_id = ?", arguments: [uniqueID.rawValue])
        }
        return try json.map(Self.plan)
    }

    /// How far each node's part in a capture has come.
    package func phases(of uniqueID: UniqueID) async throws -> [NodeName: PartPhase] {
        try await database.read { try Self.phases(of: uniqueID.rawValue, $0) }
    }

    static func plan(_ json: String) throws -> Plan { try JSONDecoder().decode(Plan.self, from: Data(json.utf8)) }

    // MARK: Rows

    static func detail(of id: Int64, _ db: Database) throws -> CaptureDetail? {
        guard
            let row = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM capture WHERE unique_id = ?"), arguments: [id])
        else { return nil }
        let summary = try summary(of: row, db)
        var detail = CaptureDetail(
            summary: summary, policy: row["policy"],
            fireRigTime: (row["fire_rig_time_ns"] as Int64?).map { RigTime(nanoseconds: $0) },
            nodes: try nodes(of: id, db), photos: try photos(of: id, expecting: summary.expectedPhotoCount, db),
            events: try events(of: id, expecting: 2 * summary.nodeCount + 3 * summary.expectedPhotoCount, db),
            spreads: try spreads(of: id, db))
        // It is kept as it was, and may be of a release that knew more.
        detail.plan = try? plan(row["plan"])
        // A catalogue of an older version, opened for reading only, has none of these.
        detail.predictedSpread = row["predicted_spread_ns"]
        detail.maxSpread = row["max_spread_ns"]
        let run = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM run WHERE id = ?"), arguments: [row["run"] as Int64])
        let isAnchored = run?.hasColumn("anchored_at") == true && run?["anchored_at"] as Int64? != nil
        let rigTime: Int64? = isAnchored ? run?["anchored_rig_time_ns"] : run?["started_rig_time_ns"]
        detail.anchorRigTime = rigTime.map { RigTime(nanoseconds: $0) }
        detail.anchoredAt = isAnchored ? run?["anchored_at"] : run?["started_at"]
        if run?.hasColumn("sleeps") == true {
            detail.sleeps = try (run?["sleeps"] as String?).map { try CatalogueChange.sleeps($0) }
        }
        detail.cancelledBy = try (row["cancelled_by"] as String?).map(known)
        return detail
    }

    static func summary(of row: Row, _ db: Database) throws -> CaptureSummary {
        let id: Int64 = row["unique_id"]
        let labels = try db.rows("SELECT key, value FROM capture_label WHERE unique_id = ?", id) { _ in
            { ($0[0] as String, $0[1] as String) }
        }
        let (nodeCount, expected) = try db.rows(
            "SELECT count(*), sum(expected_photo_count) FROM capture_node WHERE unique_id = ?", id
        ) { _ in { ($0[0] as Int, $0[1] as Int?) } }[0]
        let counts = try db.rows(
            "SELECT count(*) FILTER (WHERE state = 'stored'), count(*) FILTER (WHERE state = 'deleted') FROM photo "
                + "WHERE unique_id = ?", id
        ) { _ in { ($0[0] as Int, $0[1] as Int) } }[0]
        var summary = CaptureSummary(
            uniqueID: UniqueID(rawValue: id), state: try known(row["state"]), reason: row["reason"],
            planName: row["plan_name"], session: row["session"], firedBy: try (row["fired_by"] as String?).map(known),
            labels: Dictionary(labels, uniquingKeysWith: { $1 }), createdAt: row["created_at"], nodeCount: nodeCount,
            expectedPhotoCount: expected ?? 0, storedPhotoCount: counts.0)
        // A catalogue of an older version, opened for reading only, has none of these.
        (summary.subject, summary.take) = (row["subject"], row["take"])
        (summary.rating, summary.note, summary.annotatedAt) = (row["rating"], row["note"], row["annotated_at"])
        summary.isRejected = row["rejected"] == 1 ? true : nil
        summary.deletedPhotoCount = counts.1 > 0 ? counts.1 : nil
        summary.deletedAt = row["deleted_at"]
        summary.deletedBy = try (row["deleted_by"] as String?).map(known)
        if summary.state.isFinal, row.hasColumn("widest_spread_ns") {
            summary.widestSpreadNanoseconds = row["widest_spread_ns"]
        } else {
            summary.widestSpreadNanoseconds = try db.rows(
                "SELECT max(spread_ns) FROM v_sync WHERE unique_id = ? AND nodes > 1", id
            ) { _ in { $0[0] as Int64? } }[0]
        }
        return summary
    }
}
