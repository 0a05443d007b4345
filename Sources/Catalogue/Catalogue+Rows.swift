import CaptureModel
import FoundationEssentials
import GRDB

// How the rows of one capture are read: each column's name is looked up once, and each row is read in place in SQLite's
// memory. Looking up names takes longer than everything else.

extension Catalogue {
    static func nodes(of id: Int64, _ db: Database) throws -> [CaptureNodeDetail] {
        try db.rows("SELECT * FROM capture_node WHERE unique_id = ? ORDER BY node", id) { at in
            let (node, state, reason, expected) = (
                at("node"), at("state"), at("error_message"), at("expected_photo_count")
            )
            let (offset, clockStatus, clockBound) = (at("offset_ns"), at("clock_status"), at("clock_bound_ns"))
            let camera = CameraColumns(at)
            return { row in
                var detail = CaptureNodeDetail(
                    node: try known(row.value(node)), state: try known(row.value(state)), reason: row[reason],
                    expectedPhotoCount: row.value(expected))
                detail.offset = row[offset] ?? 0
                detail.clockStatus = row[clockStatus]
                detail.clockBound = row[clockBound]
                detail.camera = camera.camera(in: row)
                return detail
            }
        }
    }

    static func phases(of id: Int64, _ db: Database) throws -> [NodeName: PartPhase] {
        let sql = "SELECT node, phase, error_code, error_message FROM capture_node WHERE unique_id = ?"
        let parts = try db.rows(sql, id) { at in
            let (node, phase, error) = (at("node"), at("phase"), ErrorColumns(at))
            return { row in
                let name: NodeName = try known(row.value(node))
                return (name, try PartPhase(word: row.value(phase), error.error(in: row)))
            }
        }
        return Dictionary(uniqueKeysWithValues: parts)
    }

    static func events(of id: Int64, expecting count: Int, _ db: Database) throws -> [NodeEvent] {
        // By rig time, but never before an event that the same node numbered lower: not every event has a rig time.
        let sql = """
            SELECT * FROM event WHERE unique_id = ?
            ORDER BY max(rig_time_ns) OVER (PARTITION BY node ORDER BY sequence), node, sequence
            """
        return try db.rows(sql, id, expecting: count) { at in
            let (node, sequence, kind, time) = (at("node"), at("sequence"), at("kind"), at("rig_time_ns"))
            let (step, photo, error) = (at("sequence_count"), at("photo_count"), ErrorColumns(at))
            return { row in
                NodeEvent(
                    node: try known(row.value(node)), sequence: row.value(sequence), kind: try known(row.value(kind)),
                    rigTime: (row[time] as Int64?).map { RigTime(nanoseconds: $0) }, sequenceCount: row[step],
                    photoCount: row[photo], error: try error.error(in: row))
            }
        }
    }

    /// An event with its photo, as the node reported it; nil if there is none.
    static func event(_ sequence: Int64, of node: NodeName, in id: Int64, _ db: Database) throws -> CaptureEvent? {
        let sql = "SELECT * FROM event WHERE unique_id = ? AND node = ? AND sequence = ?"
        return try db.rows(sql, [id, node, sequence]) { at in
            let (kind, rigTime, time) = (at("kind"), at("rig_time_ns"), at("node_time_ns"))
            let (step, photoCount, error) = (at("sequence_count"), at("photo_count"), ErrorColumns(at))
            return { row in
                try CaptureEvent(
                    uniqueID: UniqueID(rawValue: id), sequence: Int(sequence), kind: try known(row.value(kind)),
                    time: MonotonicTime(nanoseconds: row.value(time)),
                    rigTime: (row[rigTime] as Int64?).map { RigTime(nanoseconds: $0) }, sequenceCount: row[step],
                    photo: (row[photoCount] as Int?).flatMap { try photo($0, of: node, in: id, db) },
                    error: try error.error(in: row))
            }
        }.first
    }

    private static func photo(_ count: Int, of node: NodeName, in id: Int64, _ db: Database) throws -> PhotoRecord? {
        let sql = "SELECT * FROM photo WHERE unique_id = ? AND node = ? AND photo_count = ?"
        return try db.rows(sql, [id, node, count]) { at in
            let columns = PhotoColumns(at)
            return { try columns.record(of: $0) }
        }.first
    }

    static func spreads(of id: Int64, _ db: Database) throws -> [StepSpread] {
        try db.rows("SELECT * FROM v_sync WHERE unique_id = ? AND nodes > 1 ORDER BY sequence_count", id) { at in
            let (step, nodes, spread, uncertainty) = (
                at("sequence_count"), at("nodes"), at("spread_ns"), at("uncertainty_ns")
            )
            return { row in
                StepSpread(
                    sequenceCount: row.value(step), nodeCount: row.value(nodes), spreadNanoseconds: row.value(spread),
                    uncertaintyNanoseconds: row.value(uncertainty))
            }
        }
    }

    static func photos(of id: Int64, expecting count: Int, _ db: Database) throws -> [StoredPhoto] {
        try db.rows(
            "SELECT * FROM photo WHERE unique_id = ? ORDER BY node, photo_count", id, expecting: count
        ) { at in
            let photo = StoredPhotoColumns(at)
            return { try photo.photo(in: $0) }
        }
    }

    /// Photos of several captures; the statement has the columns `session` and `created_at` of these as well.
    static func foundPhotos(_ sql: String, _ arguments: StatementArguments, _ db: Database) throws -> [FoundPhoto] {
        // Conditions are of many kinds, and prepared statements are kept for ever.
        try db.rows(try db.makeStatement(sql: sql), arguments) { at in
            let (id, session, createdAt) = (at("unique_id"), at("session"), at("created_at"))
            let (state, photo) = (at("state"), StoredPhotoColumns(at))
            let (anchorRigTime, anchoredAt) = (at("anchor_rig_time_ns"), at("anchor_at"))
            let sleeps = at("anchor_sleeps")
            return { row in
                var found = FoundPhoto(
                    uniqueID: UniqueID(rawValue: row.value(id)), session: row[session],
                    createdAt: UTCTime(rawValue: row.value(createdAt)),
                    state: try known(row.value(state)), photo: try photo.photo(in: row))
                found.anchorRigTime = (row[anchorRigTime] as Int64?).map { RigTime(nanoseconds: $0) }
                found.anchoredAt = (row[anchoredAt] as Int64?).map(UTCTime.init(rawValue:))
                found.sleeps = try (row[sleeps] as String?).map { try CatalogueChange.sleeps($0) }
                return found
            }
        }
    }

    /// A word that this version knows. The schema's checks admit others only where it has no check, as for error codes.
    static func known<Word: RawRepresentable<String>>(_ text: String) throws -> Word {
        guard let word = Word(rawValue: text) else {
            throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "'\(text)' is not a \(Word.self)")
        }
        return word
    }
}

extension PartPhase {
    /// As the column `phase` has it; the error stands beside it.
    var word: String {
        switch self {
        case .preparing: "preparing"
        case .out: "out"
        case .owing: "owing"
        case .settled: "settled"
        }
    }

    fileprivate init(word: String, _ error: CaptureError?) throws {
        switch word {
        case "preparing": self = .preparing
        case "out": self = .out(error ?? CaptureError(.nodeUnreachable, "It did not take part."))
        case "owing": self = .owing
        // Where nothing is missing, there is no error.
        case "settled": self = .settled(error ?? CaptureError(.nodeUnreachable, "It was lost before it had delivered."))
        case _: throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "'\(word)' is not a phase")
        }
    }
}

/// As its text.
extension NodeName: DatabaseValueConvertible {}

/// Spans count from the clock of the machine that answers.
extension Instant {
    /// Its microseconds since the Unix epoch, with a mark for ``argument``.
    var sql: String {
        switch self {
        case .at: "?"
        case .fromNow: "cast((julianday('now') - 2440587.5) * 86400000000 AS INTEGER) + ?"
        }
    }

    var argument: Int64 {
        switch self {
        case .at(let time): time.rawValue
        case .fromNow(let span): span / 1000
        }
    }

    func microseconds(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT \(sql)", arguments: [argument]) ?? argument
    }
}

/// As microseconds since the Unix epoch.
extension UTCTime: DatabaseValueConvertible {}

/// The index of a column in a statement; nil if it has none, as in a catalogue of an older version opened for reading.
struct Column {
    fileprivate let index: Int?
}

extension Row {
    fileprivate subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ column: Column) -> Value? {
        column.index.flatMap { self[$0] }
    }

    /// The value of a column that every version of the schema has and that is never NULL.
    fileprivate func value<Value: DatabaseValueConvertible & StatementColumnConvertible>(_ column: Column) -> Value {
        guard let index = column.index else { preconditionFailure("every version of the schema has it") }
        return self[index]
    }
}

extension Database {
    /// What a statement finds for one capture; the statement is prepared once.
    ///
    /// - Parameters:
    ///   - count: roughly how many rows to expect, as a long array that grows is copied over and over.
    ///   - reader: looks up columns, and returns a closure that reads a row.
    func rows<Value>(
        _ sql: String, _ id: Int64, expecting count: Int = 0, _ reader: ((String) -> Column) -> (Row) throws -> Value
    ) throws -> [Value] {
        try rows(sql, [id], expecting: count, reader)
    }

    func rows<Value>(
        _ sql: String, _ arguments: StatementArguments, expecting count: Int = 0,
        _ reader: ((String) -> Column) -> (Row) throws -> Value
    ) throws -> [Value] {
        try rows(try cachedStatement(sql: sql), arguments, expecting: count, reader)
    }

    func rows<Value>(
        _ statement: Statement, _ arguments: StatementArguments, expecting count: Int = 0,
        _ reader: ((String) -> Column) -> (Row) throws -> Value
    ) throws -> [Value] {
        let read = reader { Column(index: statement.index(ofColumn: $0)) }
        let cursor = try Row.fetchCursor(statement, arguments: arguments)
        var values: [Value] = []
        values.reserveCapacity(min(count, 4096))
        while let row = try cursor.next() { values.append(try read(row)) }
        return values
    }
}

private struct StoredPhotoColumns {
    let node, state, path, rating, rejected, note, deletedAt: Column
    let record: PhotoColumns

    init(_ at: (String) -> Column) {
        (node, state, path, record) = (at("node"), at("state"), at("path"), PhotoColumns(at))
        (rating, rejected, note) = (at("rating"), at("rejected"), at("note"))
        deletedAt = at("deleted_at")
    }

    func photo(in row: Row) throws -> StoredPhoto {
        var photo = StoredPhoto(
            node: try Catalogue.known(row.value(node)), record: try record.record(of: row),
            path: row.value(state) == "stored" ? row[path] : nil)
        (photo.rating, photo.note) = (row[rating], row[note])
        photo.isRejected = row[rejected] == 1 ? true : nil
        photo.deletedAt = (row[deletedAt] as Int64?).map(UTCTime.init(rawValue:))
        if photo.deletedAt != nil { photo.trashPath = row[path] }
        return photo
    }
}

private struct ErrorColumns {
    let code, message: Column

    init(_ at: (String) -> Column) {
        (code, message) = (at("error_code"), at("error_message"))
    }

    func error(in row: Row) throws -> CaptureError? {
        guard let code = row[code] as String? else { return nil }
        return CaptureError(try Catalogue.known(code), row[message] ?? "")
    }
}

private struct CameraColumns {
    let id, model, serialNumber, pixelFormat, width, height, software: Column

    init(_ at: (String) -> Column) {
        (id, model, serialNumber) = (at("camera_id"), at("model"), at("serial_number"))
        (pixelFormat, width, height, software) = (at("pixel_format"), at("width"), at("height"), at("software"))
    }

    func camera(in row: Row) -> CameraUsed? {
        guard let id = row[id] as String? else { return nil }
        return CameraUsed(
            cameraID: id, modelID: row[model] ?? "", serialNumber: row[serialNumber],
            pixelFormat: row[pixelFormat] ?? "",
            dimensions: Dimensions(width: row[width] ?? 0, height: row[height] ?? 0), software: row[software])
    }
}

/// The three columns of an exposure, as it was requested, applied or verified.
private struct ExposureColumns {
    let duration, iso, gain: Column

    init(_ at: (String) -> Column, _ word: String) {
        (duration, iso, gain) = (at("\(word)_exposure_ns"), at("\(word)_iso"), at("\(word)_gain"))
    }

    func exposure(in row: Row) -> Exposure {
        Exposure(
            duration: (row[duration] as Int64?).map { ExposureDuration(nanoseconds: $0) }, iso: row[iso],
            gain: row[gain])
    }
}

private struct PhotoColumns {
    let photoCount, sequenceCount, format, bias, lensPosition, whiteBalance: Column
    let verification, verificationReason, brightness, frameSequence, exposureStart, uncertainty, source, lamp,
        lampUncertainty: Column
    let sha256, byteCount, width, height, imageUniqueID: Column
    let requested, applied, verified: ExposureColumns
    let appliedLensPosition, appliedWhiteBalance, profile: Column
    let error: ErrorColumns

    init(_ at: (String) -> Column) {
        (photoCount, sequenceCount, format) = (at("photo_count"), at("sequence_count"), at("format"))
        (bias, lensPosition) = (at("requested_bias_ev"), at("requested_lens_position"))
        whiteBalance = at("requested_white_balance")
        (verification, verificationReason) = (at("verification"), at("verification_reason"))
        (brightness, frameSequence) = (at("brightness"), at("frame_sequence"))
        (exposureStart, uncertainty) = (at("exposure_start_ns"), at("exposure_start_uncertainty_ns"))
        source = at("timestamp_source")
        (lamp, lampUncertainty) = (at("start_lamp"), at("start_lamp_uncertainty_ns"))
        (sha256, byteCount, imageUniqueID) = (at("sha256"), at("byte_count"), at("image_unique_id"))
        (width, height) = (at("width"), at("height"))
        requested = ExposureColumns(at, "requested")
        applied = ExposureColumns(at, "applied")
        (appliedLensPosition, appliedWhiteBalance) = (at("applied_lens_position"), at("applied_white_balance"))
        profile = at("profile")
        verified = ExposureColumns(at, "verified")
        error = ErrorColumns(at)
    }

    func record(of row: Row) throws -> PhotoRecord {
        var record = PhotoRecord(
            photoCount: row.value(photoCount), sequenceCount: row.value(sequenceCount),
            format: try Catalogue.known(row.value(format)),
            requested: try resolved(row))
        record.applied = applied.exposure(in: row)
        record.appliedLensPosition = row[appliedLensPosition]
        record.appliedWhiteBalance = try Self.whiteBalance(row[appliedWhiteBalance])
        record.profile = row[profile]
        record.verified = verified.exposure(in: row)
        switch row[verification] as String? {
        case "verified": record.verification = .verified
        case "mismatch": record.verification = .mismatch
        case "unverifiable": record.verification = .unverifiable(reason: row[verificationReason] ?? "")
        default: record.verification = nil
        }
        record.brightness = row[brightness]
        record.frameSequence = (row[frameSequence] as Int64?).map { UInt32(truncatingIfNeeded: $0) }
        record.exposureStartRigTime = (row[exposureStart] as Int64?).map { RigTime(nanoseconds: $0) }
        record.exposureStartUncertaintyNanoseconds = row[uncertainty]
        record.exposureStartSource = (row[source] as String?).map(TimestampSource.init(rawValue:))
        if let lamp = row[lamp] as Int64?, let nanoseconds = row[lampUncertainty] as Int64? {
            record.exposureStartRelative = RelativeUncertainty(
                lamp: UniqueID(rawValue: lamp), nanoseconds: nanoseconds)
        }
        if let sha256 = row[sha256] as String?, let byteCount = row[byteCount] as Int? {
            record.file = PhotoFile(
                byteCount: byteCount, sha256: sha256,
                dimensions: Dimensions(width: row[width] ?? 0, height: row[height] ?? 0),
                imageUniqueID: row[imageUniqueID] ?? "")
        }
        record.error = try error.error(in: row)
        return record
    }

    private func resolved(_ row: Row) throws -> ResolvedExposure {
        let exposure = requested.exposure(in: row)
        var resolved = ResolvedExposure(
            sequenceCount: row.value(sequenceCount), exposureTargetBias: row[bias], duration: exposure.duration,
            iso: exposure.iso)
        resolved.gain = exposure.gain
        resolved.lensPosition = row[lensPosition]
        resolved.whiteBalance = try Self.whiteBalance(row[whiteBalance])
        return resolved
    }

    private static func whiteBalance(_ json: String?) throws -> WhiteBalance? {
        try json.map { try JSONDecoder().decode(WhiteBalance.self, from: Data($0.utf8)) }
    }
}
