package import CaptureModel
import GRDB

// What operators look for. Every condition names its table, as captures and photos have columns of one name.

extension Catalogue {
    /// The captures that match.
    package func captures(_ filter: CaptureFilter) async throws -> Found<CaptureSummary> {
        let order =
            switch filter.order {
            case .newest: "capture.unique_id DESC"
            case .spread: "capture.widest_spread_ns DESC, capture.unique_id DESC"
            }
        return try await database.read { db in
            try Self.requireNew(filter, db)
            let conditions = Conditions(filter, hasDeletions: try Self.hasDeletions(db))
            return try Self.find("FROM capture", conditions, order, limit: filter.limit, filter, db) {
                rest, arguments in
                try Row.fetchAll(db, sql: "SELECT capture.* \(rest)", arguments: arguments).map {
                    try Self.summary(of: $0, db)
                }
            }
        }
    }

    /// The photos that match, those of the newest captures in front.
    package func photos(_ filter: PhotoFilter) async throws -> Found<FoundPhoto> {
        try await database.read { db in
            try Self.requireNew(filter.captures, isOpinion: filter.minRating != nil || filter.isRejected != nil, db)
            // SQLite cannot know that few captures are meant: those first, then their photos.
            let anchor =
                try db.columns(in: "run").contains { $0.name == "anchored_at" }
                ? """
                , (SELECT coalesce(anchored_at, started_at) FROM run WHERE run.id = capture.run) AS anchor_at,
                (SELECT coalesce(anchored_rig_time_ns, started_rig_time_ns) FROM run WHERE run.id = capture.run)
                    AS anchor_rig_time_ns
                """ : ""
            let sleeps =
                try db.columns(in: "run").contains { $0.name == "sleeps" }
                ? ", (SELECT sleeps FROM run WHERE run.id = capture.run) AS anchor_sleeps" : ", NULL AS anchor_sleeps"
            let isOfAll = Conditions(filter.captures, hasDeletions: false).isEmpty
            return try Self.find(
                "FROM \(isOfAll ? "photo JOIN capture" : "capture CROSS JOIN photo") USING (unique_id)",
                Conditions(filter, hasDeletions: try Self.hasDeletions(db)),
                "photo.unique_id DESC, photo.node, photo.photo_count", limit: filter.limit, filter.captures, db
            ) { try Self.foundPhotos("SELECT photo.*, session, created_at\(anchor)\(sleeps) \($0)", $1, db) }
        }
    }

    /// The sessions, those with the newest captures in front.
    ///
    /// - Parameters:
    ///   - since: the earliest acceptance of captures that count; nil for all.
    ///   - limit: at most so many.
    package func sessions(since: Instant?, limit: Int) async throws -> [SessionSummary] {
        try await database.read { db in
            let isWanted = "created_at >= ?1" + (try Self.hasDeletions(db) ? " AND capture.deleted_at IS NULL" : "")
            return try Row.fetchAll(
                db,
                sql: """
                    WITH newest AS (
                        SELECT session, count(*) AS captures,
                            sum(state IN ('partial', 'failed', 'cancelled')) AS incomplete,
                            min(created_at) AS first, max(created_at) AS last
                        FROM capture WHERE \(isWanted) GROUP BY session ORDER BY last DESC LIMIT ?2)
                    SELECT *,
                        (SELECT sum(expected_photo_count) FROM capture JOIN capture_node USING (unique_id)
                            WHERE capture.session IS newest.session AND \(isWanted)) AS expected,
                        (SELECT count(*) FROM capture JOIN photo USING (unique_id)
                            WHERE capture.session IS newest.session AND \(isWanted) AND photo.state = 'stored'
                        ) AS stored,
                        (SELECT count(*) FROM capture JOIN photo USING (unique_id)
                            WHERE capture.session IS newest.session AND \(isWanted) AND photo.state = 'deleted'
                        ) AS deleted
                    FROM newest ORDER BY last DESC
                    """, arguments: [try since?.microseconds(db) ?? .min, Self.bounded(limit)]
            ).map { row in
                SessionSummary(
                    session: row["session"], captureCount: row["captures"], incompleteCount: row["incomplete"],
                    // What somebody deleted is not missed.
                    expectedPhotoCount: (row["expected"] ?? 0) - (row["deleted"] as Int),
                    storedPhotoCount: row["stored"] ?? 0,
                    firstAt: row["first"], lastAt: row["last"])
            }
        }
    }

    /// The labels with their values, by key and value.
    package func labels(since: Instant?, limit: Int) async throws -> [LabelSummary] {
        try await database.read { db in
            let isWanted = "created_at >= ?" + (try Self.hasDeletions(db) ? " AND deleted_at IS NULL" : "")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT key, value, count(*) AS captures, max(created_at) AS last
                    FROM capture_label JOIN capture USING (unique_id) WHERE \(isWanted)
                    GROUP BY key, value ORDER BY key, value LIMIT ?
                    """, arguments: [try since?.microseconds(db) ?? .min, Self.bounded(limit)]
            ).map { row in
                LabelSummary(
                    key: row["key"], value: row["value"], captureCount: row["captures"], lastAt: row["last"])
            }
        }
    }

    // MARK: How it is found

    /// Refuses a question that a catalogue of an older release, opened for reading only, has no answer to.
    ///
    /// - Parameter isOpinion: whether it is about what somebody thinks of photos.
    private static func requireNew(_ filter: CaptureFilter, isOpinion: Bool = false, _ db: Database) throws {
        let isNew =
            isOpinion || filter.order == .spread || filter.minSpreadNanoseconds != nil || filter.subject != nil
            || filter.minRating != nil || filter.isRejected != nil || filter.isUnrated != nil
        if isNew, try !db.columns(in: "capture").contains(where: { $0.name == "widest_spread_ns" }) {
            throw NotOfThisRelease()
        }
        if filter.isDeleted == true, try !hasDeletions(db) { throw NotOfThisRelease() }
    }

    /// Whether the catalogue knows of deletions: one of an older release, opened for reading only, does not.
    static func hasDeletions(_ db: Database) throws -> Bool {
        try db.columns(in: "capture").contains { $0.name == "deleted_at" }
    }

    static func bounded(_ limit: Int) -> Int { min(max(limit, 0), 10_000) }

    /// - Parameter fetch: completes a statement with the columns that it wants, and runs it.
    private static func find<Item>(
        _ tables: String, _ conditions: Conditions, _ order: String, limit: Int, _ captures: CaptureFilter,
        _ db: Database, _ fetch: (_ rest: String, StatementArguments) throws -> [Item]
    ) throws -> Found<Item> {
        let limit = bounded(limit)
        let items = try fetch(
            "\(tables) \(conditions.clause) ORDER BY \(order) LIMIT ?",
            StatementArguments(conditions.arguments + [limit]))
        guard items.count == limit else {
            return Found(
                items: items, matchCount: items.count,
                remarks: items.isEmpty ? try remarks(captures, conditions, db) : [])
        }
        let count = try Int.fetchOne(
            db, sql: "SELECT count(*) FROM (SELECT 1 \(tables) \(conditions.clause) LIMIT ?)",
            arguments: StatementArguments(conditions.arguments + [Found<Item>.mostCounted]))
        return Found(items: items, matchCount: count ?? items.count)
    }

    /// What of a question names nothing that exists.
    private static func remarks(
        _ filter: CaptureFilter, _ conditions: Conditions, _ db: Database
    ) throws -> [String] {
        func isMissing(_ sql: String, _ value: any DatabaseValueConvertible) throws -> Bool {
            try Int.fetchOne(db, sql: "SELECT 1 FROM \(sql) LIMIT 1", arguments: [value]) == nil
        }
        var remarks: [String] = []
        if let session = filter.session, try isMissing("capture WHERE session = ?", session) {
            remarks.append("There is no session '\(session)'.")
        }
        if let subject = filter.subject, try isMissing("capture WHERE subject = ?", subject) {
            remarks.append("There is no subject '\(subject)'.")
        }
        if let plan = filter.plan, try isMissing("capture WHERE plan_name = ?", plan) {
            remarks.append("No capture was of a plan '\(plan)'.")
        }
        for nodes in Set(filter.nodes + conditions.nodes) where try isMissing("node WHERE name GLOB ?", nodes.rawValue)
        {
            remarks.append("No capture had a node '\(nodes)'.")
        }
        for key in filter.labels.keys.sorted() where try isMissing("capture_label WHERE key = ?", key) {
            remarks.append("No capture has a label '\(key)'.")
        }
        return remarks
    }
}

/// What rows must be, with the values of its question marks.
struct Conditions {
    private var texts: [String] = []
    private(set) var arguments: [(any DatabaseValueConvertible)?] = []
    /// The nodes that photos are to be of.
    private(set) var nodes: [NodePattern] = []

    var isEmpty: Bool { texts.isEmpty }

    var clause: String { texts.isEmpty ? "" : "WHERE " + texts.joined(separator: " AND ") }

    /// - Parameter hasDeletions: whether it counts that captures were deleted.
    init(_ filter: CaptureFilter, hasDeletions: Bool) {
        if hasDeletions, let isDeleted = filter.isDeleted ?? (filter.digits == nil ? false : nil) {
            texts.append("capture.deleted_at IS \(isDeleted ? "NOT NULL" : "NULL")")
        }
        if let session = filter.session { add("capture.session = ?", session) }
        if let subject = filter.subject { add("capture.subject = ?", subject) }
        if let rating = filter.minRating { add("capture.rating >= ?", rating) }
        if let isRejected = filter.isRejected { add("capture.rejected = ?", isRejected) }
        if let until = filter.untouchedSince { add("coalesce(capture.annotated_at, 0) < ?", until) }
        if let isUnrated = filter.isUnrated {
            let rated = "EXISTS (SELECT 1 FROM photo WHERE photo.unique_id = capture.unique_id AND rating IS NOT NULL)"
            add("(capture.rating IS NULL AND NOT \(rated)) = ?", isUnrated)
        }
        add("capture.state", in: filter.states.map(\.rawValue))
        if let since = filter.since { add("capture.created_at >= \(since.sql)", since.argument) }
        if let until = filter.until { add("capture.created_at < \(until.sql)", until.argument) }
        if let plan = filter.plan { add("capture.plan_name = ?", plan) }
        if let user = filter.firedBy { add("capture.fired_by = ?", user) }
        if let digits = filter.digits, digits.utf8.count >= 16, let id = Int64(digits) {
            add("capture.unique_id = ?", id)
        } else if let digits = filter.digits {
            add(
                "(CAST(capture.unique_id AS TEXT) GLOB ? OR CAST(capture.unique_id AS TEXT) GLOB ?)", digits + "*",
                "*" + digits)
        }
        for (key, value) in filter.labels.sorted(by: { $0.key < $1.key }) {
            add(
                "capture.unique_id IN (SELECT unique_id FROM capture_label WHERE key = ? AND value = ?)", key, value)
        }
        addOfNodes(filter)
        if let verification = filter.verification {
            // Most photos are verified; the others have an index.
            let few =
                "capture.unique_id IN (SELECT unique_id FROM photo WHERE verification <> 'verified' AND verification = ?)"
            let many =
                "EXISTS (SELECT 1 FROM photo WHERE photo.unique_id = capture.unique_id AND photo.verification = ?)"
            add(verification == "verified" ? many : few, verification)
        }
        if let least = filter.minSpreadNanoseconds { add("capture.widest_spread_ns >= ?", least) }
    }

    private mutating func addOfNodes(_ filter: CaptureFilter) {
        let part = "EXISTS (SELECT 1 FROM capture_node WHERE capture_node.unique_id = capture.unique_id AND"
        if !filter.nodes.isEmpty {
            let names = filter.nodes.map { _ in "name GLOB ?" }.joined(separator: " OR ")
            add("\(part) capture_node.node IN (SELECT name FROM node WHERE \(names)))", filter.nodes.map(\.rawValue))
        }
        if let camera = filter.camera { add("\(part) ? IN (camera_id, model, serial_number))", camera) }
        // Those with an error are few, and have indexes.
        let failed = "capture.unique_id IN (SELECT unique_id FROM capture_node WHERE"
        let lost = "SELECT unique_id FROM photo WHERE"
        if let error = filter.error?.rawValue {
            add("\(failed) error_code = ? UNION \(lost) error_code = ?)", error, error)
        }
        if let reason = filter.reason {
            let escaped = ["\\", "%", "_"].reduce(reason) { $0.replacing($1, with: "\\" + $1) }
            let (words, like) = ("%\(escaped)%", "error_code IS NOT NULL AND error_message LIKE ? ESCAPE '\\'")
            add(
                "\(failed) \(like) UNION \(lost) \(like) UNION SELECT unique_id FROM capture "
                    + "WHERE reason IS NOT NULL AND reason LIKE ? ESCAPE '\\')", words, words, words)
        }
    }

    init(_ filter: PhotoFilter, hasDeletions: Bool) {
        self.init(filter.captures, hasDeletions: hasDeletions)
        nodes = filter.nodes
        if !nodes.isEmpty {
            add("(" + nodes.map { _ in "photo.node GLOB ?" }.joined(separator: " OR ") + ")", nodes.map(\.rawValue))
        }
        if !filter.steps.isEmpty { add("photo.sequence_count", in: filter.steps) }
        add("photo.format", in: filter.formats.map(\.rawValue))
        add("photo.state", in: filter.states.map(\.rawValue))
        // Commands of an older release do not know the word.
        if filter.states.isEmpty { texts.append("photo.state <> 'deleted'") }
        if let verification = filter.verification {
            let few = verification == "verified" ? "" : " AND photo.verification <> 'verified'"
            add("photo.verification = ?\(few)", verification)
        }
        addOpinions(filter)
    }

    /// What people have said of few, which have indexes.
    private mutating func addOpinions(_ filter: PhotoFilter) {
        func few(_ condition: String) -> String {
            "photo.unique_id IN (SELECT unique_id FROM capture WHERE \(condition) UNION "
                + "SELECT unique_id FROM photo WHERE \(condition)) AND "
        }
        if let rating = filter.minRating {
            add(few("rating >= ?") + "coalesce(photo.rating, capture.rating) >= ?", rating, rating, rating)
        }
        if let isRejected = filter.isRejected {
            add((isRejected ? few("rejected = 1") : "") + "(photo.rejected OR capture.rejected) = ?", isRejected)
        }
    }

    private mutating func add(_ column: String, in values: [some DatabaseValueConvertible]) {
        if !values.isEmpty {
            add("\(column) IN (\(values.map { _ in "?" }.joined(separator: ", ")))", values)
        }
    }

    private mutating func add(_ text: String, _ values: any DatabaseValueConvertible...) { add(text, values) }

    private mutating func add(_ text: String, _ values: [any DatabaseValueConvertible]) {
        texts.append(text)
        arguments += values
    }
}
