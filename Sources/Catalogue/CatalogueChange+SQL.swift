import CaptureModel
import FoundationEssentials
import GRDB

extension CatalogueChange {
    func apply(to db: Database, run: Int64) throws {
        switch self {
        case .anchored(let moment):
            try db.run(
                "UPDATE run SET anchored_at = ?, anchored_rig_time_ns = ? WHERE id = ?",
                [moment.utc, moment.rigTime.nanoseconds, run])
        case .slept(let sleep):
            // Written twice, it is one sleep.
            let column = try String.fetchOne(db, sql: "SELECT sleeps FROM run WHERE id = ?", arguments: [run])
            let known = try CatalogueChange.sleeps(column)
            guard !known.contains(sleep) else { return }
            try db.run("UPDATE run SET sleeps = ? WHERE id = ?", [try Self.json(known + [sleep]), run])
        case .node(let name, let capabilities, let software, let time):
            try applyNode(db, name, capabilities, software, time)
        case .capture(let capture):
            try applyCapture(db, capture, run)
        case .captureWithdrawn(let id):
            try db.run("DELETE FROM capture WHERE unique_id = ?", [id.rawValue])
        case .captureCancelled(let id, let user, let time):
            try db.run(
                "UPDATE capture SET cancelled_by = ?, cancelled_at = ? WHERE unique_id = ? AND cancelled_by IS NULL",
                [user, time, id.rawValue])
        case .captureState(let id, let state, let reason, let fireTime, let time):
            try db.run(
                """
                UPDATE capture SET state = ?, reason = ?, fire_rig_time_ns = coalesce(?, fire_rig_time_ns),
                    finished_at = ? WHERE unique_id = ?
                """,
                [state.rawValue, reason, fireTime?.nanoseconds, state.isFinal ? time : nil, id.rawValue])
        case .captureNodeState(let id, let node, let phase, let state, let error):
            try db.run(
                """
                UPDATE capture_node SET phase = ?, state = ?, error_code = ?, error_message = ?
                WHERE unique_id = ? AND node = ?
                """,
                [phase.word, state.rawValue, error?.code.rawValue, error?.message, id.rawValue, node])
        case .captureSync(let id, let predicted, let most):
            try db.run(
                "UPDATE capture SET predicted_spread_ns = ?, max_spread_ns = ? WHERE unique_id = ?",
                [predicted, most, id.rawValue])
        case .captureNodeSync(let id, let node, let offset, let status, let bound):
            try db.run(
                """
                UPDATE capture_node SET offset_ns = ?, clock_status = ?, clock_bound_ns = ?
                WHERE unique_id = ? AND node = ?
                """,
                [offset, status, bound, id.rawValue, node])
        case .captureNodeCamera(let id, let node, let camera):
            try db.run(
                """
                UPDATE capture_node SET camera_id = ?, model = ?, serial_number = ?, pixel_format = ?, width = ?,
                    height = ?, software = ?
                WHERE unique_id = ? AND node = ?
                """,
                [
                    camera.cameraID, camera.modelID, camera.serialNumber, camera.pixelFormat, camera.dimensions.width,
                    camera.dimensions.height, camera.software, id.rawValue, node,
                ])
        case .event(let node, let event):
            try applyEvent(db, node, event)
        case .news(let news):
            try applyNews(db, news)
        case .annotated(let id, let annotation, let time):
            try applyAnnotation(db, annotation, id, time)
        case .photoAnnotated(let photo, let annotation, let time):
            try db.run(
                "UPDATE photo SET \(Self.opinions) WHERE unique_id = ? AND node = ? AND photo_count = ?",
                Self.opinions(annotation) + photo.columns)
            try db.run("UPDATE capture SET \(Self.later) WHERE unique_id = ?", [time, photo.uniqueID.rawValue])
        case .captureDeleted, .photoDeleted, .captureRecovered, .trashEmptied: try applyDeletion(db)
        case .photoStored(let photo, let path, let time):
            try db.run(
                """
                UPDATE photo SET state = 'stored', path = ?, stored_at = ?, error_code = NULL, error_message = NULL
                WHERE unique_id = ? AND node = ? AND photo_count = ? AND \(Self.isNotHad)
                """,
                [path, time] + photo.columns)
            try deleteLate(photo, db)
        case .photoLost(let photo, let error):
            try db.run(
                """
                UPDATE photo SET state = 'failed', path = NULL, stored_at = NULL, error_code = ?, error_message = ?
                WHERE unique_id = ? AND node = ? AND photo_count = ?
                """,
                [error.code.rawValue, error.message] + photo.columns)
        case .photoFailed(let photo, let slot, let error):
            try db.run(
                """
                INSERT INTO photo (unique_id, node, photo_count, sequence_count, format, state, error_code,
                    error_message)
                VALUES (?, ?, ?, ?, ?, 'failed', ?, ?)
                ON CONFLICT (unique_id, node, photo_count) DO UPDATE
                SET state = 'failed', error_code = excluded.error_code, error_message = excluded.error_message
                WHERE \(Self.isNotHad)
                """,
                photo.columns + [
                    slot.sequenceCount, slot.format.rawValue, error.code.rawValue, error.message,
                ])
        }
    }

    /// Of a photo: it is not in the library, and was not deleted from there.
    private static let isNotHad = "state NOT IN ('stored', 'deleted')"

    /// The capture, where it or a part of it has come to an end: a node that comes back may have told more.
    var ended: UniqueID? {
        switch self {
        case .captureState(let id, let state, _, _, _) where state.isFinal: id
        case .captureNodeState(let id, _, _, let state, _) where state.isFinal: id
        default: nil
        }
    }

    /// Works out how far apart the nodes of a capture were, once it is over.
    static func updateSpread(of id: UniqueID, _ db: Database) throws {
        try db.run(
            """
            UPDATE capture SET widest_spread_ns = (
                SELECT max(spread_ns) FROM v_sync WHERE unique_id = ? AND nodes > 1)
            WHERE unique_id = ? AND state IN ('complete', 'partial', 'failed', 'cancelled')
            """, [id.rawValue, id.rawValue])
    }

    private func applyNode(
        _ db: Database, _ name: NodeName, _ camera: CameraCapabilities?, _ software: String?, _ time: UTCTime
    ) throws {
        let json = try camera.map(Self.json)
        try db.run(
            """
            INSERT INTO node (name, camera_id, manufacturer, model, serial_number, capabilities, software,
                first_seen_at, last_seen_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET last_seen_at = excluded.last_seen_at,
                camera_id = coalesce(excluded.camera_id, camera_id),
                manufacturer = coalesce(excluded.manufacturer, manufacturer),
                model = coalesce(excluded.model, model),
                serial_number = coalesce(excluded.serial_number, serial_number),
                capabilities = coalesce(excluded.capabilities, capabilities),
                software = coalesce(excluded.software, software)
            """,
            [
                name, camera?.cameraID, camera?.manufacturer, camera?.modelID, camera?.serialNumber, json, software,
                time, time,
            ])
    }

    private func applyCapture(_ db: Database, _ capture: NewCapture, _ run: Int64) throws {
        let plan = capture.plan
        try db.run(
            """
            INSERT INTO capture (unique_id, request_id, fired_by, run, state, plan_name, plan, bracket_kind, step_count,
                policy, session, subject, take, created_at)
            VALUES (?, ?, ?, ?, 'preparing', ?, ?, ?, ?, ?, ?, ?, \(Self.nextTake), ?)
            """,
            [
                capture.uniqueID.rawValue, capture.requestID, capture.firedBy, run, plan.name,
                try Self.json(plan), plan.bracket.kind.rawValue, plan.bracket.count, plan.policy.description,
                capture.session, capture.subject, capture.subject, capture.session, capture.subject,
                capture.createdAt,
            ])
        for (key, value) in capture.labels.sorted(by: { $0.key < $1.key }) {
            try db.run(
                "INSERT INTO capture_label (unique_id, key, value) VALUES (?, ?, ?)",
                [capture.uniqueID.rawValue, key, value])
        }
        for node in capture.nodes {
            try db.run(
                """
                INSERT INTO capture_node (unique_id, node, state, expected_photo_count)
                VALUES (?, ?, 'preparing', ?)
                """,
                [
                    capture.uniqueID.rawValue, node,
                    plan.bracket.count * (capture.formats[node] ?? plan.formats).count,
                ])
        }
    }

    /// The number of a new take of a subject, or of nothing, in a session.
    private static let nextTake =
        "iif(? IS NULL, NULL, (SELECT coalesce(max(take), 0) + 1 FROM capture WHERE session IS ? AND subject = ?))"

    /// What people say of captures and of photos alike.
    private static let opinions =
        "rating = iif(?, nullif(?, 0), rating), rejected = coalesce(?, rejected), "
        + "note = iif(?, nullif(?, ''), note)"

    /// Whatever the clock says: archives are told apart by it.
    static let later = "annotated_at = max(?, coalesce(annotated_at, 0) + 1)"

    private static func opinions(_ annotation: Annotation) -> [(any DatabaseValueConvertible)?] {
        [annotation.rating != nil, annotation.rating, annotation.isRejected, annotation.note != nil, annotation.note]
    }

    private func applyAnnotation(_ db: Database, _ annotation: Annotation, _ id: UniqueID, _ time: UTCTime) throws {
        try db.run(
            "UPDATE capture SET \(Self.opinions), \(Self.later) WHERE unique_id = ?",
            Self.opinions(annotation) + [time, id.rawValue])
        for key in annotation.removedLabels ?? [] {
            try db.run("DELETE FROM capture_label WHERE unique_id = ? AND key = ?", [id.rawValue, key])
        }
        for (key, value) in (annotation.labels ?? [:]).sorted(by: { $0.key < $1.key }) {
            try db.run(
                """
                INSERT INTO capture_label (unique_id, key, value) SELECT unique_id, ?, ? FROM capture WHERE unique_id = ?
                ON CONFLICT (unique_id, key) DO UPDATE SET value = excluded.value
                """,
                [key, value, id.rawValue])
        }
        guard annotation.session != nil || annotation.subject != nil else { return }
        // Where nothing is changed by it, the take stays.
        let known = try Row.fetchOne(
            db, sql: "SELECT session, subject FROM capture WHERE unique_id = ?", arguments: [id.rawValue])
        guard let known else { return }
        func renamed(_ new: String?, _ old: String?) -> String? { new.map { $0.isEmpty ? nil : $0 } ?? old }
        let session = renamed(annotation.session, known["session"])
        let subject = renamed(annotation.subject, known["subject"])
        try db.run(
            """
            UPDATE capture SET session = ?, subject = ?, take = \(Self.nextTake) WHERE unique_id = ?
                AND (session IS NOT ? OR subject IS NOT ?)
            """,
            [session, subject, subject, session, subject, id.rawValue, session, subject])
    }

    private func applyEvent(_ db: Database, _ node: NodeName, _ event: CaptureEvent) throws {
        let error = event.error ?? event.photo?.error
        try db.run(
            """
            INSERT INTO event (unique_id, node, sequence, kind, rig_time_ns, node_time_ns, sequence_count,
                photo_count, error_code, error_message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (unique_id, node, sequence) DO NOTHING
            """,
            [
                event.uniqueID.rawValue, node, event.sequence, event.kind.rawValue, event.rigTime?.nanoseconds,
                event.time.nanoseconds, event.sequenceCount, event.photo?.photoCount, error?.code.rawValue,
                error?.message,
            ])
        if let photo = event.photo { try applyPhoto(db, node, event.uniqueID, photo) }
    }

    private func applyNews(_ db: Database, _ news: News) throws {
        let values: [(any DatabaseValueConvertible)?] =
            switch news.content {
            case .event(let node, let event): [event.uniqueID.rawValue, node, event.sequence, nil, nil, nil, nil]
            case .capture(let id, let state, let reason, let stored, let expected):
                [id.rawValue, nil, nil, state.rawValue, reason, stored, expected]
            case .node(let name, let state, let problem): [nil, name, nil, state, problem, nil, nil]
            }
        try db.run(
            """
            INSERT INTO news (number, unique_id, node, event, state, reason, photos_stored, photos_expected)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (number) DO NOTHING
            """,
            [news.number] + values)
    }

    /// The sleeps of a run, as its column has them.
    static func sleeps(_ json: String?) throws -> [UTCTimeline.Sleep] {
        try json.map { try JSONDecoder().decode([UTCTimeline.Sleep].self, from: Data($0.utf8)) } ?? []
    }

    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func applyPhoto(_ db: Database, _ node: NodeName, _ id: UniqueID, _ photo: PhotoRecord) throws {
        let values = try Self.photoColumns.map { try $0.value(photo) }
        try db.run(Self.photoStatement, [id.rawValue, node, photo.photoCount] + values)
    }

    private typealias Column = (name: String, value: @Sendable (PhotoRecord) throws -> (any DatabaseValueConvertible)?)

    private static let photoColumns: [Column] = [
        ("sequence_count", { $0.sequenceCount }),
        ("format", { $0.format.rawValue }),
        ("state", { $0.error == nil ? "pending" : "failed" }),
        ("byte_count", { $0.file?.byteCount }),
        ("sha256", { $0.file?.sha256 }),
        ("width", { $0.file?.dimensions.width }),
        ("height", { $0.file?.dimensions.height }),
        ("image_unique_id", { $0.file?.imageUniqueID }),
        ("frame_sequence", { $0.frameSequence.map { Int64($0) } }),
        ("exposure_start_ns", { $0.exposureStartRigTime?.nanoseconds }),
        ("exposure_start_uncertainty_ns", { $0.exposureStartUncertaintyNanoseconds }),
        ("readout_ns", { $0.exposureStart?.readoutNanoseconds }),
        ("timestamp_source", { $0.exposureStart?.source.rawValue }),
        ("start_correction_ns", { $0.exposureStart?.correctionNanoseconds }),
        ("start_lamp", { $0.exposureStartRelative?.lamp.rawValue }),
        ("start_lamp_uncertainty_ns", { $0.exposureStartRelative?.nanoseconds }),
        ("requested_exposure_ns", { $0.requested.duration?.nanoseconds }),
        ("requested_iso", { $0.requested.iso }),
        ("requested_bias_ev", { $0.requested.exposureTargetBias }),
        ("requested_gain", { $0.requested.gain }),
        ("requested_lens_position", { $0.requested.lensPosition }),
        ("requested_white_balance", { try $0.requested.whiteBalance.map(json) }),
        ("applied_exposure_ns", { $0.applied?.duration?.nanoseconds }),
        ("applied_iso", { $0.applied?.iso }),
        ("applied_gain", { $0.applied?.gain }),
        ("applied_lens_position", { $0.appliedLensPosition }),
        ("applied_white_balance", { try $0.appliedWhiteBalance.map(json) }),
        ("verified_exposure_ns", { $0.verified?.duration?.nanoseconds }),
        ("verified_iso", { $0.verified?.iso }),
        ("verified_gain", { $0.verified?.gain }),
        ("verification", { $0.verification?.name }),
        ("verification_reason", { $0.verification?.reason }),
        ("profile", { $0.profile }),
        ("brightness", { $0.brightness }),
        ("error_code", { $0.error?.code.rawValue }),
        ("error_message", { $0.error?.message }),
    ]

    private static let photoStatement: String = {
        let names = photoColumns.map(\.name)
        return """
            INSERT INTO photo (unique_id, node, photo_count, \(names.joined(separator: ", ")))
            VALUES (?, ?, ?, \(names.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (unique_id, node, photo_count) DO UPDATE
            SET \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")) WHERE \(isNotHad)
            """
    }()
}

extension PhotoID {
    /// In the order of the primary key of `photo`.
    var columns: [(any DatabaseValueConvertible)?] { [uniqueID.rawValue, node, photoCount] }
}

extension Database {
    /// Executes a statement that is compiled once per connection.
    ///
    /// Each argument is bound where it stands, as making `StatementArguments` of them takes a tenth of a commit.
    func run(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?]) throws {
        let statement = try cachedStatement(sql: sql)
        assert((try? statement.validateArguments(StatementArguments(arguments))) != nil, "as many as there are marks")
        statement.setUncheckedArguments(StatementArguments())
        var index: CInt = 0
        for argument in arguments {
            index += 1
            guard let code = argument?.bind(to: statement.sqliteStatement, at: index), code != 0 else { continue }
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "argument \(index)", sql: sql)
        }
        try statement.execute()
    }
}
