import CaptureModel
import Catalogue
import Foundation
import GRDB
import Testing

@Suite("The catalogue")
struct CatalogueTests {
    private let scratch = Scratch()

    @Test("writes in WAL with synchronous=FULL, read back from the writer itself")
    func durability() async throws {
        let catalogue = try await scratch.open()
        #expect(try catalogue.writerPragma("journal_mode") == "wal")
        #expect(try catalogue.writerPragma("synchronous") == "2")
        try await catalogue.commit([try capture()])
        #expect(try catalogue.writerPragma("synchronous") == "2")
        #expect(try catalogue.writerPragma("foreign_keys") == "1")
    }

    @Test("tells what became true after a number, an event with its photo, in pages")
    func news() async throws {
        let catalogue = try await scratch.open()
        #expect(try catalogue.lastNews() == 0)
        let told = CaptureEvent(
            uniqueID: id, sequence: 1, kind: .willCapturePhoto, time: MonotonicTime(nanoseconds: 1),
            rigTime: RigTime(nanoseconds: 2), sequenceCount: 1)
        let contents: [News.Content] = [
            .node(name: "a", state: "ready", problem: nil),
            .capture(id, .firing, reason: nil, storedPhotoCount: 0, expectedPhotoCount: 6),
            .event(node: "a", told), .node(name: "b", state: "unreachable", problem: "Node b is unreachable."),
            .capture(id, .partial, reason: "b: gone", storedPhotoCount: 1, expectedPhotoCount: 6),
        ]
        let all = contents.enumerated().map { index, content in
            News(number: 100 + 10 * Int64(index), previous: index == 0 ? 0 : 90 + 10 * Int64(index), content: content)
        }
        try await catalogue.commit([try capture(), .event(node: "a", told)] + all.map { .news($0) })
        // Told twice without harm.
        try await catalogue.commit([.news(all[1])])
        let first = try await catalogue.news(after: 0, limit: 3)
        #expect(first.news == Array(all.prefix(3)) && first.last == 120 && first.isMore)
        let second = try await catalogue.news(after: first.last, limit: 3)
        #expect(second.news == Array(all.suffix(2)) && second.last == 140 && !second.isMore)
        let none = try await catalogue.news(after: 140, limit: 3)
        #expect(none.news.isEmpty && none.last == 140 && !none.isMore)
        #expect(try catalogue.lastNews() == 140)
        let developed = event(2, photo: photo(1, start: 1_000_000))
        try await catalogue.commit([
            .event(node: "a", developed),
            .news(News(number: 150, previous: 140, content: .event(node: "a", developed))),
        ])
        guard case .event("a", let read)? = try await catalogue.news(after: 140, limit: 1).news.first?.content else {
            Issue.record("it is no event")
            return
        }
        #expect(read.photo?.file == developed.photo?.file && read.photo?.exposureStartRigTime?.nanoseconds == 1_000_000)
        // What never was is left out, and what comes behind it still follows what came before.
        try await catalogue.commit([.captureWithdrawn(id)])
        #expect(try await catalogue.news(after: 0, limit: 10).news.map(\.previous) == [0, 100, 110, 130])
    }

    /// What 0.1 wrote stays as it is in here, and every later release takes it.
    @Test("knows for the next run how far each part has come, from an archive too")
    func phases() async throws {
        let catalogue = try await scratch.open()
        let error = CaptureError(.stalled, "It stood still.")
        let phases: [NodeName: PartPhase] = ["a": .settled(error), "b": .out(error)]
        try await catalogue.commit([
            try capture(), .captureNodeState(id, node: "a", .settled(error), .failed, error),
            .captureNodeState(id, node: "b", .out(error), .failed, error),
        ])
        #expect(try await catalogue.phases(of: id) == phases)
        let archive = try #require(try await catalogue.archive(of: id))
        try await catalogue.commit([.captureNodeState(id, node: "a", .owing, .collecting, nil)])
        #expect(try await catalogue.phases(of: id)["a"] == .owing)
        try await catalogue.restore(id, from: archive.json) { _ in }
        #expect(try await catalogue.phases(of: id) == phases)
    }

    @Test("knows who asked for a capture, who gave it up, and what took each part")
    func accountability() async throws {
        let catalogue = try await scratch.open()
        let camera = CameraUsed(
            cameraID: "v4l2:/dev/video0", modelID: "HQ", serialNumber: "S1", pixelFormat: "SRGGB12",
            dimensions: Dimensions(width: 4056, height: 3040), software: "0.1.0")
        try await catalogue.commit([
            try capture(), .captureNodeCamera(id, node: "a", camera), .captureCancelled(id, by: "bob", at: 5),
            .captureCancelled(id, by: "eve", at: 6),
        ])
        let detail = try #require(try await catalogue.capture(id))
        #expect(detail.summary.firedBy == "ada" && detail.cancelledBy == "bob")
        #expect(detail.nodes.map(\.camera) == [camera, nil])
        // It is in the archive as well.
        let archive = try #require(try await catalogue.archive(of: id))
        try await catalogue.commit([.captureWithdrawn(id)])
        try await catalogue.restore(id, from: archive.json) { _ in }
        #expect(try await catalogue.capture(id) == detail)
    }

    @Test("keeps of each start what it is known from, and what was added to the stamp")
    func sources() async throws {
        let catalogue = try await scratch.open()
        var known = photo(1, start: 1_000_000)
        known.exposureStart = ExposureStart(
            time: MonotonicTime(nanoseconds: 5), uncertaintyNanoseconds: 7, source: .arrival)
        known.exposureStart?.correctionNanoseconds = -300
        try await catalogue.commit([try capture(), .event(node: "a", event(1, photo: known))])
        let reader = try DatabaseQueue(path: scratch.path)
        let row = try reader.read { db in
            try Row.fetchOne(db, sql: "SELECT timestamp_source, start_correction_ns FROM photo")
        }
        #expect(row?["timestamp_source"] as String? == "arrival")
        #expect(row?["start_correction_ns"] as Int64? == -300)
        let read = try #require(try await catalogue.capture(id)?.photos.first)
        #expect(read.record.exposureStartSource == .arrival)
    }

    /// A photo that began then, by itself known to 600 ns, and by a lamp to 120 ns.
    private func lit(_ step: Int, start: Int64, lamp: Int64?) -> PhotoRecord {
        var record = photo(step, start: start)
        record.exposureStartUncertaintyNanoseconds = 600
        record.exposureStartRelative = lamp.map {
            RelativeUncertainty(lamp: UniqueID(rawValue: $0), nanoseconds: 120)
        }
        return record
    }

    @Test("knows how far apart a step began as each start is known, or by one lamp that all cameras saw")
    func lamps() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([
            try capture(),
            .event(node: "a", event(1, photo: lit(1, start: 1000, lamp: 7))),
            .event(node: "b", event(1, photo: lit(1, start: 1300, lamp: 7))),
            .event(node: "a", event(2, photo: lit(2, start: 2000, lamp: 7))),
            .event(node: "b", event(2, photo: lit(2, start: 2300, lamp: 8))),
            .event(node: "a", event(3, photo: lit(3, start: 3000, lamp: 7))),
            .event(node: "b", event(3, photo: lit(3, start: 3300, lamp: nil))),
        ])
        let detail = try #require(try await Catalogue(reading: scratch.path).capture(id))
        #expect(detail.spreads.map(\.uncertaintyNanoseconds) == [240, 1200, 1200])
        #expect(detail.spreads.map(\.spreadNanoseconds) == [300, 300, 300])
        // What is read again says the same as the view.
        for spread in detail.spreads {
            let photos = detail.photos.filter { $0.record.sequenceCount == spread.sequenceCount }
            #expect(photos.count == 2)
            let known = StartUncertainty.ofSpread(photos.compactMap(\.record.exposureStartKnown))
            #expect(known == spread.uncertaintyNanoseconds)
        }
    }

    @Test("tells everything of a capture again, also to a reader beside it")
    func roundTrip() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([
            try capture(session: "s", labels: ["k": "v"]),
            .event(node: "a", event(1, photo: photo(1, start: 1_000_000))),
            .event(node: "b", event(1, photo: photo(1, start: 1_400_000))),
            .photoStored(photoID("a", 1), path: "photos/a.jpg", at: 5),
            .photoFailed(
                photoID("b", 2), PhotoSlot(sequenceCount: 2, format: .jpeg),
                CaptureError(.nodeUnreachable, "b is gone")),
            .captureState(id, .partial, reason: "b is gone", fireRigTime: RigTime(nanoseconds: 9), at: 7),
        ])
        let detail = try #require(try await Catalogue(reading: scratch.path).capture(id))
        #expect(detail.summary.state == .partial && detail.summary.labels == ["k": "v"])
        #expect(detail.summary.storedPhotoCount == 1 && detail.summary.expectedPhotoCount == 6)
        #expect(detail.photos.first?.path == "photos/a.jpg")
        #expect(detail.photos.first?.record.requested.exposureTargetBias == -2)
        #expect(detail.photos.last?.record.error?.code == .nodeUnreachable)
        #expect(detail.events.count == 2)
        #expect(detail.spreads.map(\.spreadNanoseconds) == [400_000])
        #expect(detail.fireRigTime?.nanoseconds == 9)
    }

    @Test("takes every change twice without harm, and a stored photo is never unstored")
    func idempotent() async throws {
        let catalogue = try await scratch.open()
        let failed = CatalogueChange.photoFailed(
            photoID("a", 1), PhotoSlot(sequenceCount: 1, format: .jpeg), CaptureError(.nodeUnreachable, "gone"))
        let arrived = CatalogueChange.event(node: "a", event(1, photo: photo(1, start: 1)))
        let stored = CatalogueChange.photoStored(photoID("a", 1), path: "p.jpg", at: 1)
        try await catalogue.commit([try capture(), failed, arrived, arrived, stored, stored, failed, arrived])
        let detail = try #require(try await catalogue.capture(id))
        #expect(detail.photos.count == 1 && detail.events.count == 1)
        #expect(detail.photos.first?.path == "p.jpg" && detail.photos.first?.record.error == nil)
    }

    @Test("finds captures by session, label, node, state and time")
    func filters() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([
            try capture(0, session: "monday"), capture(1, session: "monday", labels: ["subject": "anna"]), capture(2),
            .captureState(UniqueID(rawValue: id.rawValue + 2), .failed, reason: nil, fireRigTime: nil, at: 1),
        ])
        func numbers(_ change: (inout CaptureFilter) -> Void) async throws -> [Int64] {
            var filter = CaptureFilter()
            change(&filter)
            return try await catalogue.captures(filter).items.map { $0.uniqueID.rawValue - id.rawValue }
        }
        #expect(try await numbers { _ in } == [2, 1, 0])
        #expect(try await numbers { $0.session = "monday" } == [1, 0])
        #expect(try await numbers { $0.labels = ["subject": "anna"] } == [1])
        #expect(try await numbers { $0.nodes = ["b"] } == [2, 1, 0])
        #expect(try await numbers { $0.nodes = ["z"] } == [])
        #expect(try await numbers { $0.states = [.failed] } == [2])
        #expect(
            try await numbers {
                $0.since = .at(UTCTime(rawValue: id.rawValue + 1)); $0.until = .at(UTCTime(rawValue: id.rawValue + 2))
            } == [1])
        #expect(try await numbers { $0.limit = 1 } == [2])
        // The last one is over, the others are not.
        let unfinished = try await catalogue.ids(sinceOrUnfinished: UTCTime(rawValue: id.rawValue + 3))
        #expect(unfinished.map { $0.rawValue - id.rawValue } == [0, 1])
        #expect(try await catalogue.ids(sinceOrUnfinished: nil).count == 3)
        // Something became of it later: its archive may be owed.
        try await catalogue.commit([
            .news(
                News(
                    number: id.rawValue + 10, previous: 0,
                    content: .capture(
                        UniqueID(rawValue: id.rawValue + 2), .failed, reason: nil, storedPhotoCount: 1,
                        expectedPhotoCount: 2)))
        ])
        #expect(try await catalogue.ids(sinceOrUnfinished: UTCTime(rawValue: id.rawValue + 10)).count == 3)
        #expect(try await catalogue.ids(sinceOrUnfinished: UTCTime(rawValue: id.rawValue + 11)).count == 2)
        #expect(try await catalogue.captureCount() == 3)
    }

    @Test("refuses a word that its checks do not know, a photo without its capture and a request told twice")
    func checks() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([try capture()])
        await #expect(throws: (any Error).self) {
            try await catalogue.commit([.event(node: "stranger", event(1, photo: photo(1, start: 1)))])
        }
        await #expect(throws: (any Error).self) { try await catalogue.commit([try capture()]) }
        let queue = try DatabaseQueue(path: scratch.path)
        #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "UPDATE capture SET state = 'perhaps'") }
        }
        #expect(throws: DatabaseError.self) {
            try queue.write { try $0.execute(sql: "UPDATE capture SET plan = 'no json'") }
        }
    }

    @Test("has views that read well, and indexes for the questions asked")
    func views() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([try capture(), .event(node: "a", event(1, photo: photo(1, start: 1)))])
        let queue = try DatabaseQueue(path: scratch.path)
        try await queue.read { db in
            #expect(try String.fetchOne(db, sql: "SELECT created FROM v_captures") == "2027-01-15 08:00:00")
            #expect(try Double.fetchOne(db, sql: "SELECT requested_ms FROM v_photos") == 4)
            #expect(try String.fetchOne(db, sql: "SELECT kind FROM v_events") == "didFinishProcessingPhoto")
            for question in [
                "SELECT * FROM capture WHERE session = 's' ORDER BY unique_id DESC",
                "SELECT * FROM capture WHERE state = 'failed' ORDER BY unique_id DESC",
                "SELECT * FROM capture_label WHERE key = 'k' AND value = 'v'",
                "SELECT * FROM capture_node WHERE node = 'a'", "SELECT * FROM event WHERE unique_id = 1",
            ] {
                let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + question).map { $0["detail"] as String }
                #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(question): \(plan)")
            }
            let unfinished = "SELECT unique_id FROM capture_node WHERE state IN ('preparing', 'firing', 'collecting')"
            let plan = try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + unfinished).map { $0["detail"] as String }
            #expect(plan.allSatisfy { $0.contains("capture_node_unfinished") }, "\(plan)")
        }
    }

    @Test("knows what a former run left unfinished")
    func unfinished() async throws {
        let catalogue = try await scratch.open()
        func left() async throws -> [Int64] {
            try await catalogue.unfinishedCaptures().map { $0.rawValue - id.rawValue }
        }
        try await catalogue.commit([
            try capture(0), capture(1), .captureState(id, .complete, reason: nil, fireRigTime: nil, at: 1),
        ])
        #expect(try await left() == [0, 1], "a capture's end without its parts'")
        try await catalogue.commit(["a", "b"].map { .captureNodeState(id, node: $0, .owing, .complete, nil) })
        #expect(try await left() == [1])
        // A node that had been given up came back.
        try await catalogue.commit([.captureNodeState(id, node: "b", .owing, .collecting, nil)])
        #expect(try await left() == [0, 1])
        #expect(try catalogue.lastUniqueID().rawValue == id.rawValue + 1)
        #expect(try await catalogue.uniqueID(ofRequest: "r1")?.rawValue == id.rawValue + 1)
    }

    @Test("counts one photo of each exposure in the spread, whatever the other format's start was taken for")
    func formats() async throws {
        let catalogue = try await scratch.open()
        var changes = [try capture()]
        for (node, starts) in [("a", [1000, 1900]), ("b", [1500, 9000])] as [(NodeName, [Int64])] {
            for (index, start) in starts.enumerated() {
                let record = photo(index + 1, step: 1, start: start)
                changes.append(.event(node: node, event(index + 1, photo: record)))
            }
        }
        try await catalogue.commit(changes)
        let spreads = try #require(try await catalogue.capture(id)).spreads
        #expect(spreads.map(\.spreadNanoseconds) == [500] && spreads.map(\.nodeCount) == [2])
    }

    /// A catalogue grows for years; what is asked about one capture must not go through the photos of all.
    @Test(
        "looks at one capture's rows when it is asked for one capture",
        arguments: ["v_captures", "v_sync", "v_photos", "v_events"])
    func plans(view: String) async throws {
        _ = try await scratch.open()
        let plan = try await DatabaseQueue(path: scratch.path).read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN SELECT * FROM \(view) WHERE unique_id = 7").map {
                $0["detail"] as String
            }
        }
        #expect(plan.contains { $0.hasPrefix("SEARCH") })
        for table in ["capture", "capture_node", "photo", "event"] {
            #expect(!plan.contains { $0.hasPrefix("SCAN \(table)") }, "\(plan)")
        }
    }

    @Test("tells UTC anew of all that a run has, once its clock is set, and from an archive too")
    func anchored() async throws {
        let catalogue = try await scratch.open()
        let start = Int64(5_000_000_000)
        try await catalogue.commit([try capture(), .event(node: "a", event(1, photo: photo(1, start: start)))])
        func exposed() async throws -> String? {
            try await DatabaseQueue(path: scratch.path).read(Self.exposed)
        }
        // The board had no clock of its own: it began in the year 2027, by 300 days wrong.
        #expect(try await exposed() == "2027-01-15 08:00:05.000")
        let later = RigTime(nanoseconds: 60_000_000_000)
        let day: Int64 = 86_400_000_000
        try await catalogue.commit([
            .anchored(Moment(rigTime: later, utc: UTCTime(rawValue: id.rawValue + 60_000_000 - 300 * day)))
        ])
        #expect(try await exposed() == "2026-03-21 08:00:05.000")
        let archive = try #require(try await catalogue.archive(of: id))
        let other = Scratch()
        let restored = try Catalogue(path: other.path, startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await restored.restore(id, from: archive.json) { _ in }
        #expect(try await DatabaseQueue(path: other.path).read(Self.exposed) == "2026-03-21 08:00:05.000")
    }

    @Test("tells UTC of what is after a sleep of the coordinator later by as long, and from an archive too")
    func slept() async throws {
        let catalogue = try await scratch.open()
        let sleep = UTCTimeline.Sleep(rigTime: RigTime(nanoseconds: 4_000_000_000), nanoseconds: .seconds(3600))
        try await catalogue.commit([
            try capture(), .event(node: "a", event(1, photo: photo(1, start: 5_000_000_000))),
            // Written twice, it is one.
            .slept(sleep), .slept(sleep),
            .slept(.init(rigTime: RigTime(nanoseconds: 6_000_000_000), nanoseconds: .seconds(60))),
        ])
        #expect(
            try await DatabaseQueue(path: scratch.path).read(Self.exposed) == "2027-01-15 09:00:05.000",
            "the second sleep was after it")
        let photo = try #require(try await catalogue.photos(PhotoFilter()).items.first)
        #expect(photo.timeline?.utc(of: RigTime(nanoseconds: 5_000_000_000)).timeOfDay == "09:00:05")
        let detail = try #require(try await catalogue.capture(id))
        #expect(detail.timeline?.utc(of: RigTime(nanoseconds: 3_000_000_000)).timeOfDay == "08:00:03")
        let archive = try #require(try await catalogue.archive(of: id))
        let other = Scratch()
        let restored = try Catalogue(path: other.path, startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        try await restored.restore(id, from: archive.json) { _ in }
        #expect(try await DatabaseQueue(path: other.path).read(Self.exposed) == "2027-01-15 09:00:05.000")
    }

    @Sendable private static func exposed(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT exposed FROM v_photos")
    }

    @Test("keeps what was applied of lens and white balance, and by which profile a photo was judged")
    func applied() async throws {
        let catalogue = try await scratch.open()
        var record = photo(1, start: 1)
        record.appliedLensPosition = 0.25
        record.appliedWhiteBalance = .gains(WhiteBalanceGains(red: 2, green: 1, blue: 1.5))
        record.profile = "0123456789abcdef"
        try await catalogue.commit([try capture(), .event(node: "a", event(1, photo: record))])
        let kept = try #require(try await catalogue.capture(id)?.photos.first?.record)
        #expect(kept.appliedLensPosition == 0.25 && kept.profile == record.profile)
        #expect(kept.appliedWhiteBalance == record.appliedWhiteBalance)
    }
}
