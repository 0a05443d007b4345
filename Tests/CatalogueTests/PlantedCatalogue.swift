import CaptureModel
import Catalogue
import GRDB

/// A catalogue of many captures, one a minute, in which a rule says of each number what is special about it.
///
/// | number | what |
/// |---|---|
/// | every hundred | a session of its own: `s0`, `s1`... |
/// | every 3rd, and the next | of the plan `burst`, `focus`; the others of `hdr-3` |
/// | every 4th | labelled `subject=anna` |
/// | every 5th | with a third node, `top-3` |
/// | every 10th | fired by bob, the others by ada |
/// | 7 of 50 | partial: node b's second photo failed, as its spool was full |
/// | 9 of 200 | failed, as node a was lost: none of its photos is there |
/// | 13 of 100 | the first photo of node a is unverifiable |
/// | 42 of 100 | node b began 5 ms after node a, else 10 µs |
enum PlantedCatalogue {
    /// In microseconds; capture number N was accepted N minutes later.
    static let start: Int64 = 1_800_000_000_000_000
    static let minute: Int64 = 60_000_000

    static func number(_ id: UniqueID) -> Int64 { (id.rawValue - start) / minute }

    /// Fills a catalogue with captures 1 to `count`, past all rules.
    static func fill(_ path: String, count: Int) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "INSERT OR IGNORE INTO node VALUES ('top-3', NULL, NULL, NULL, NULL, NULL, NULL, 1, 1)")
            for statement in statements {
                let numbers =
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)),\n"
                    + "m AS (SELECT i, \(start) + i * \(minute) AS id FROM n)\n"
                try db.execute(
                    sql: "INSERT INTO \(statement.table) (\(statement.columns))\n" + numbers + statement.rows)
            }
            try db.execute(
                sql: """
                    UPDATE capture SET widest_spread_ns = widest FROM (
                        SELECT unique_id AS id, max(spread_ns) AS widest FROM v_sync WHERE nodes > 1 GROUP BY unique_id)
                    WHERE unique_id = id
                    """)
            try db.execute(sql: "ANALYZE")
        }
    }

    private static let nodes = """
        SELECT i, id, 'a' AS node, 0 AS late FROM m UNION ALL SELECT i, id, 'b', iif(i % 100 = 42, 5000000, 10000) FROM m
            UNION ALL SELECT i, id, 'top-3', 5000 FROM m WHERE i % 5 = 0
        """

    private static let statements: [(table: String, columns: String, rows: String)] = [
        (
            "capture",
            "unique_id, request_id, fired_by, run, state, reason, plan_name, plan, bracket_kind, step_count, policy, session, created_at",
            """
            SELECT id, 'r' || i, iif(i % 10 = 0, 'bob', 'ada'), 1,
                CASE WHEN i % 50 = 7 THEN 'partial' WHEN i % 200 = 9 THEN 'failed' ELSE 'complete' END,
                CASE WHEN i % 50 = 7 THEN 'b: 1 of 2 photos' WHEN i % 200 = 9 THEN 'a: gone' END,
                CASE i % 3 WHEN 0 THEN 'burst' WHEN 1 THEN 'focus' ELSE 'hdr-3' END, '{}', 'burst', 2, 'all',
                's' || (i / 100), id
            FROM m
            """
        ),
        (
            "capture_label", "unique_id, key, value",
            "SELECT id, 'subject', 'anna' FROM m WHERE i % 4 = 0"
        ),
        (
            "capture_node",
            "unique_id, node, state, phase, expected_photo_count, serial_number, error_code, error_message",
            """
            SELECT id, node, iif((i % 50 = 7 AND node = 'b') OR (i % 200 = 9 AND node = 'a'), 'partial', 'complete'), 'owing', 2,
                'S-' || node, iif(i % 200 = 9 AND node = 'a', 'nodeUnreachable', NULL),
                iif(i % 200 = 9 AND node = 'a', 'Node a was lost.', NULL)
            FROM (\(nodes))
            """
        ),
        (
            "photo",
            "unique_id, node, photo_count, sequence_count, format, state, path, byte_count, sha256, exposure_start_ns, exposure_start_uncertainty_ns, verification, verification_reason, error_code, error_message",
            """
            SELECT id, node, step, step, 'jpeg', iif(isLost, 'failed', 'stored'),
                iif(isLost, NULL, 'photos/' || id || '/' || node || '_' || step || '.jpg'), iif(isLost, NULL, 9),
                iif(isLost, NULL, '\(String(repeating: "a", count: 64))'), iif(isLost, NULL, i * 1000000 + late), 100,
                CASE WHEN isLost THEN NULL WHEN i % 100 = 13 AND node = 'a' AND step = 1 THEN 'unverifiable' ELSE 'verified' END,
                NULL, iif(isLost, iif(node = 'b', 'diskFull', 'nodeUnreachable'), NULL),
                iif(isLost, iif(node = 'b', 'The spool is 100% full.', 'It was lost.'), NULL)
            FROM (SELECT *, (i % 50 = 7 AND node = 'b' AND step = 2) OR (i % 200 = 9 AND node = 'a') AS isLost
                FROM (\(nodes)), (SELECT 1 AS step UNION SELECT 2))
            """
        ),
    ]
}
