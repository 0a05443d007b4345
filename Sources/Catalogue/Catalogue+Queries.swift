package import CaptureModel
import FoundationEssentials
import GRDB

extension Catalogue {
    /// The captures that match, newest first.
    package func captures(_ filter: CaptureFilter) async throws -> [CaptureSummary] {
        var conditions: [String] = []
        var arguments: [(any DatabaseValueConvertible)?] = []
        func add(_ condition: String, _ values: (any DatabaseValueConvertible)?...) {
            conditions.append(condition)
            arguments += values
        }
        if let session = filter.session { add("session = ?", session) }
        if let state = filter.state { add("state = ?", state.rawValue) }
        if let since = filter.since { add("created_at >= ?", since) }
        if let until = filter.until { add("created_at < ?", until) }
        if let node = filter.node {
            add("unique_id IN (SELECT unique_id FROM capture_node WHERE node = ?)", node)
        }
        for (key, value) in filter.labels.sorted(by: { $0.key < $1.key }) {
            add("unique_id IN (SELECT unique_id FROM capture_label WHERE key = ? AND value = ?)", key, value)
        }
        let clause = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
        let sql = "SELECT * FROM capture \(clause) ORDER BY unique_id DESC LIMIT ?"
        let all = StatementArguments(arguments + [min(max(filter.limit, 0), 10_000)])
        return try await database.read { db in
            try Row.fetchAll(db, sql: sql, arguments: all).map { try Self.summary(of: $0, db) }
        }
    }

    /// Everything about one capture; nil where there is none of that id.
    package func capture(_ uniqueID: UniqueID) async throws -> CaptureDetail? {
        let id = uniqueID.rawValue
        return try await database.read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM capture WHERE unique_id = ?", arguments: [id])
            else { return nil }
            var detail = CaptureDetail(
                summary: try Self.summary(of: row, db), policy: row["policy"],
                fireRigTime: (row["fire_rig_time_ns"] as Int64?).map { RigTime(nanoseconds: $0) },
                nodes: try Self.nodes(of: id, db), photos: try Self.photos(of: id, db),
                events: try Self.events(of: id, db), spreads: try Self.spreads(of: id, db))
            // A catalogue of an older version that is only read has none of these.
            detail.predictedSpread = row["predicted_spread_ns"]
            detail.maxSpread = row["max_spread_ns"]
            return detail
        }
    }

    /// The capture that a request became, if it did.
    package func uniqueID(ofRequest requestID: String) async throws -> UniqueID? {
        try await database.read { db in
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

    /// The captures that a former run left unfinished, or with photos on their way, oldest first, each with its plan as
    /// JSON.
    package func unfinishedCaptures() async throws -> [(detail: CaptureDetail, plan: String)] {
        let rows = try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT unique_id, plan FROM capture WHERE state IN ('preparing', 'firing', 'collecting')
                        OR unique_id IN (SELECT unique_id FROM photo WHERE state = 'pending')
                    ORDER BY unique_id
                    """
            ).map { (UniqueID(rawValue: $0["unique_id"]), $0["plan"] as String) }
        }
        var captures: [(CaptureDetail, String)] = []
        for (id, plan) in rows {
            if let detail = try await capture(id) { captures.append((detail, plan)) }
        }
        return captures
    }

    /// The plan of a capture as JSON; nil where there is none of that id.
    package func plan(of uniqueID: UniqueID) async throws -> String? {
        try await database.read { db in
            try String.fetchOne(
                db, sql: "SELECT plan FROM capture WHERE unique_id = ?", arguments: [uniqueID.rawValue])
        }
    }

    // MARK: Rows

    private static func summary(of row: Row, _ db: Database) throws -> CaptureSummary {
        let id: Int64 = row["unique_id"]
        let labels = try Row.fetchAll(
            db, sql: "SELECT key, value FROM capture_label WHERE unique_id = ?", arguments: [id])
        let nodes = try Row.fetchOne(
            db, sql: "SELECT count(*), sum(expected_photo_count) FROM capture_node WHERE unique_id = ?",
            arguments: [id])
        let stored = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM photo WHERE unique_id = ? AND state = 'stored'", arguments: [id])
        return CaptureSummary(
            uniqueID: UniqueID(rawValue: id), state: try known(row["state"]), reason: row["reason"],
            planName: row["plan_name"], session: row["session"],
            labels: Dictionary(labels.map { ($0["key"], $0["value"]) }, uniquingKeysWith: { $1 }),
            createdAt: row["created_at"], nodeCount: nodes?[0] ?? 0, expectedPhotoCount: nodes?[1] ?? 0,
            storedPhotoCount: stored ?? 0)
    }

    private static func nodes(of id: Int64, _ db: Database) throws -> [CaptureNodeDetail] {
        try Row.fetchAll(db, sql: "SELECT * FROM capture_node WHERE unique_id = ? ORDER BY node", arguments: [id])
            .map { row in
                var detail = CaptureNodeDetail(
                    node: row["node"], state: try known(row["state"]), reason: row["error_message"],
                    expectedPhotoCount: row["expected_photo_count"])
                detail.offset = row["offset_ns"] ?? 0
                detail.clockStatus = row["clock_status"]
                detail.clockBound = row["clock_bound_ns"]
                return detail
            }
    }

    private static func events(of id: Int64, _ db: Database) throws -> [NodeEvent] {
        // In rig time, and none before one that its node numbered lower: not each has a rig time.
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM event WHERE unique_id = ?
                ORDER BY max(rig_time_ns) OVER (PARTITION BY node ORDER BY sequence), node, sequence
                """,
            arguments: [id]
        ).map { row in
            NodeEvent(
                node: row["node"], sequence: row["sequence"], kind: try known(row["kind"]),
                rigTime: (row["rig_time_ns"] as Int64?).map { RigTime(nanoseconds: $0) },
                sequenceCount: row["sequence_count"], photoCount: row["photo_count"], error: try error(in: row))
        }
    }

    private static func spreads(of id: Int64, _ db: Database) throws -> [StepSpread] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM v_sync WHERE unique_id = ? AND nodes > 1 ORDER BY sequence_count", arguments: [id]
        ).map { row in
            StepSpread(
                sequenceCount: row["sequence_count"], nodeCount: row["nodes"], spreadNanoseconds: row["spread_ns"],
                uncertaintyNanoseconds: row["uncertainty_ns"])
        }
    }

    private static func photos(of id: Int64, _ db: Database) throws -> [StoredPhoto] {
        try Row.fetchAll(
            db, sql: "SELECT * FROM photo WHERE unique_id = ? ORDER BY node, photo_count", arguments: [id]
        ).map { row in
            StoredPhoto(
                node: row["node"], record: try record(of: row),
                path: (row["state"] as String) == "stored" ? row["path"] : nil)
        }
    }

    private static func record(of row: Row) throws -> PhotoRecord {
        func duration(_ column: String) -> ExposureDuration? {
            (row[column] as Int64?).map { ExposureDuration(nanoseconds: $0) }
        }
        var requested = ResolvedExposure(
            sequenceCount: row["sequence_count"], exposureTargetBias: row["requested_bias_ev"],
            duration: duration("requested_exposure_ns"), iso: row["requested_iso"])
        // A catalogue of version 1 that is only read has none of these.
        requested.gain = row["requested_gain"]
        requested.lensPosition = row["requested_lens_position"]
        requested.whiteBalance = try (row["requested_white_balance"] as String?).map { text in
            try JSONDecoder().decode(WhiteBalance.self, from: Data(text.utf8))
        }
        var record = PhotoRecord(
            photoCount: row["photo_count"], sequenceCount: row["sequence_count"], format: try known(row["format"]),
            requested: requested)
        record.applied = Exposure(
            duration: duration("applied_exposure_ns"), iso: row["applied_iso"], gain: row["applied_gain"])
        record.verified = Exposure(
            duration: duration("verified_exposure_ns"), iso: row["verified_iso"], gain: row["verified_gain"])
        switch row["verification"] as String? {
        case "verified": record.verification = .verified
        case "mismatch": record.verification = .mismatch
        case "unverifiable": record.verification = .unverifiable(reason: row["verification_reason"] ?? "")
        default: record.verification = nil
        }
        record.brightness = row["brightness"]
        record.frameSequence = (row["frame_sequence"] as Int64?).map { UInt32(truncatingIfNeeded: $0) }
        record.exposureStartRigTime = (row["exposure_start_ns"] as Int64?).map { RigTime(nanoseconds: $0) }
        record.exposureStartUncertaintyNanoseconds = row["exposure_start_uncertainty_ns"]
        if let sha256 = row["sha256"] as String?, let byteCount = row["byte_count"] as Int? {
            record.file = PhotoFile(
                byteCount: byteCount, sha256: sha256,
                dimensions: Dimensions(width: row["width"] ?? 0, height: row["height"] ?? 0),
                imageUniqueID: row["image_unique_id"] ?? "")
        }
        record.error = try error(in: row)
        return record
    }

    private static func error(in row: Row) throws -> CaptureError? {
        guard let code = row["error_code"] as String? else { return nil }
        return CaptureError(try known(code), row["error_message"] ?? "")
    }

    /// A word that the schema's checks let in.
    private static func known<Word: RawRepresentable<String>>(_ text: String) throws -> Word {
        guard let word = Word(rawValue: text) else {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "'\(text)' is no \(Word.self)")
        }
        return word
    }
}
