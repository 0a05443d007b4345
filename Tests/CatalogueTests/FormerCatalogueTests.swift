import CaptureModel
import Catalogue
import Foundation
import GRDB
import Testing

@Suite("A catalogue or an archive")
struct FormerCatalogueTests {
    private let scratch = Scratch()

    @Test("takes a capture from an archive of 0.1")
    func frozenArchive() async throws {
        let frozen = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("capture-1.json")
        let catalogue = try await scratch.open()
        let id = UniqueID(rawValue: 1_795_494_906_388_807)
        try await catalogue.restore(id, from: Data(contentsOf: frozen)) { _ in }
        let capture = try #require(try await catalogue.capture(id))
        #expect(capture.summary.state == .complete && capture.summary.firedBy == "demo")
        #expect(capture.events.map(\.kind) == CaptureEventKind.allCases)
        #expect(capture.photos.map(\.record.verification) == [.verified] && capture.photos[0].path != nil)
        #expect(capture.nodes.first?.camera?.software == "0.1.0")
        // It did not say yet how far each part had come.
        #expect(try await catalogue.phases(of: id).values.map { $0 } == [.owing])
    }

    @Test(
        "has every digit and every character in an archive",
        arguments: [0.1 + 0.2, 1e-300, -1.7e200, .leastNonzeroMagnitude, 3])
    func exactArchive(number: Double) async throws {
        let catalogue = try await scratch.open()
        var record = photo(1, start: .max)
        record.brightness = number
        record.profile = "\"\\ \n\t\u{1} é 🙂 </"
        try await catalogue.commit([try capture(), .event(node: "a", event(1, photo: record))])
        let before = try #require(try await catalogue.capture(id))
        let archive = try #require(try await catalogue.archive(of: id))
        #expect(try JSONSerialization.jsonObject(with: archive.json) is [String: Any])
        try await catalogue.commit([.captureWithdrawn(id)])
        try await catalogue.restore(id, from: archive.json) { _ in }
        #expect(try await catalogue.capture(id) == before && before.photos[0].record.brightness == number)
    }

    /// What catalogues of former versions had applied.
    private static let migrations = [
        "1", "2: focus and white balance brackets", "3: one instant over the rig", "4: rolling shutters",
        "5: views that look at one capture's photos", "6: where an exposure's start is known from",
        "7: profiles, lens and white balance as applied, clocks that are set",
        "8: starts that a lamp has shown, and photos without loss",
        "9: who asked and who gave up, what took each part, and the news", "10: how far each part has come",
        "11: parts that are still to come", "12: who had what done", "13: second copies of photos",
        "14: what went wrong is found", "15: subjects, takes, and what people say afterwards",
    ]

    /// A catalogue of a former version, with these rows.
    private func write(_ version: Int, _ rows: String) async throws {
        let old = try DatabaseQueue(path: scratch.path)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let schema = try String(contentsOf: folder.appendingPathComponent("schema-\(version).sql"), encoding: .utf8)
        try await old.write { db in
            try db.execute(sql: schema)
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            for name in Self.migrations.prefix(version) {
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [name])
            }
            try db.execute(sql: rows)
        }
        try old.close()
    }

    @Test("of the version before knows afterwards how far apart nodes were, and has kept what stands beside photos")
    func previousVersion() async throws {
        let hash = String(repeating: "a", count: 64)
        try await write(
            14,
            """
            INSERT INTO run (id, started_at, started_rig_time_ns) VALUES (1, 5, 6);
            INSERT INTO node (name, first_seen_at, last_seen_at) VALUES ('a', 1, 2), ('b', 1, 2);
            INSERT INTO capture (unique_id, request_id, run, state, plan_name, plan, bracket_kind, step_count, policy,
                    session, created_at)
                VALUES (7, 'r', 1, 'complete', 'hdr', '{}', 'burst', 1, 'all', 's', 3);
            INSERT INTO capture_node (unique_id, node, state, phase, expected_photo_count)
                VALUES (7, 'a', 'complete', 'owing', 1), (7, 'b', 'complete', 'owing', 1);
            INSERT INTO photo (unique_id, node, photo_count, sequence_count, format, state, path, byte_count, sha256,
                    exposure_start_ns, exposure_start_uncertainty_ns)
                VALUES (7, 'a', 1, 1, 'jpeg', 'stored', 'a.jpg', 1, '\(hash)', 1000, 10),
                    (7, 'b', 1, 1, 'jpeg', 'stored', 'b.jpg', 1, '\(hash)', 5000, 10);
            INSERT INTO copy VALUES (7, 'a', 1, 'nas', 9);
            INSERT INTO audit (at, user, act, arguments, result) VALUES (1, 'ada', 'fire', '{}', 'done');
            INSERT INTO news (number, unique_id, state) VALUES (1, 7, 'complete');
            """)
        let catalogue = try await scratch.open()
        let summary = try #require(try await catalogue.capture(UniqueID(rawValue: 7))).summary
        #expect(summary.widestSpreadNanoseconds == 4000 && summary.rating == nil && summary.isRejected == nil)
        let copies = try await catalogue.copies()
        #expect(copies.map(\.place) == ["nas"] && copies.map(\.oldestReadAt.rawValue) == [9])
        #expect(try await catalogue.photos(withoutCopyAt: "nas", isAgain: false, after: nil, limit: 9).count == 1)
        #expect(try await catalogue.audit(since: .at(0), limit: 9).map(\.act) == ["fire"])
        #expect(try await catalogue.problems().isEmpty)
    }

    @Test(
        "of the version before, opened for reading only, says that it cannot answer what is new", arguments: [14, 15])
    func unmigrated(version: Int) async throws {
        try await write(version, "INSERT INTO run (id, started_at, started_rig_time_ns) VALUES (1, 5, 6);")
        let catalogue = try Catalogue(reading: scratch.path)
        #expect(try await catalogue.captures(CaptureFilter()).items.isEmpty)
        #expect(try await catalogue.ids(sinceOrUnfinished: nil).isEmpty)
        #expect(try await catalogue.photoCounts().deleted == 0)
        #expect(try await catalogue.photos(PhotoFilter()).items.isEmpty)
        #expect(try await catalogue.sessions(since: nil, limit: 1).isEmpty)
        #expect(try await catalogue.labels(since: nil, limit: 1).isEmpty)
        func expectRefusal(_ change: (inout CaptureFilter) -> Void) async {
            var filter = CaptureFilter()
            change(&filter)
            await #expect(throws: (any Error).self) { try await catalogue.captures(filter) }
        }
        if version == 14 { await expectRefusal { $0.order = .spread } }
        await expectRefusal { $0.isDeleted = true }
    }

    @Test("of a former version is carried over whole, and then is like a new one", arguments: [1, 6, 15])
    func migration(version: Int) async throws {
        try await write(
            version,
            """
            INSERT INTO run (id, started_at, started_rig_time_ns) VALUES (1, 5, 6);
            INSERT INTO node (name, first_seen_at, last_seen_at) VALUES ('a', 1, 2);
            INSERT INTO capture (unique_id, request_id, run, state, reason, plan_name, plan, bracket_kind,
                    step_count, policy, session, created_at, finished_at, fire_rig_time_ns)
                VALUES (7, 'r', 1, 'partial', 'why', 'hdr', '{}', 'burst', 2, 'all', 's', 3, 4, 5);
            INSERT INTO node (name, first_seen_at, last_seen_at) VALUES ('b', 1, 2), ('c', 1, 2);
            INSERT INTO capture_node (unique_id, node, state, expected_photo_count)
                VALUES (7, 'a', 'partial', 2), (7, 'b', 'failed', 2), (7, 'c', 'failed', 2);
            INSERT INTO photo (unique_id, node, photo_count, sequence_count, format, state, error_code)
                VALUES (7, 'a', 1, 1, 'jpeg', 'failed', 'stalled'), (7, 'c', 1, 1, 'jpeg', 'pending', NULL);
            INSERT INTO event (unique_id, node, sequence, kind, node_time_ns)
                VALUES (7, 'a', 1, 'willBeginCapture', 9), (7, 'c', 1, 'willBeginCapture', 9);
            """)
        let migrated = try await scratch.open()
        let fresh = Scratch()
        let new = try Catalogue(path: fresh.path, startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        func text(_ path: String) async throws -> [String] {
            let queue = try DatabaseQueue(path: path)
            return try await queue.read { db in
                try String.fetchAll(db, sql: "SELECT type || name || sql FROM sqlite_schema WHERE sql <> '' ORDER BY 1")
            }
        }
        #expect(try await text(scratch.path) == text(fresh.path))
        let detail = try #require(try await migrated.capture(UniqueID(rawValue: 7)))
        #expect(detail.summary.state == .partial && detail.photos.count == 2 && detail.events.count == 2)
        #expect(detail.photos.first?.record.error?.code == .stalled)
        // None said why; two had an event, so they had begun, and a photo of one was on its way.
        let lost = CaptureError(.nodeUnreachable, "It was lost before it had delivered.")
        let out = CaptureError(.nodeUnreachable, "It did not take part.")
        // Later ones keep it themselves.
        if version < 10 {
            #expect(
                try await migrated.phases(of: UniqueID(rawValue: 7)) == [
                    "a": .settled(lost), "b": .out(out), "c": .owing,
                ])
        }
        withExtendedLifetime(new) {}
    }
}
