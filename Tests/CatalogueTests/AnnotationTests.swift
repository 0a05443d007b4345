import CaptureModel
import Catalogue
import Foundation
import Testing

@Suite("What people say of captures afterwards")
struct AnnotationTests {
    private let scratch = Scratch()

    private func annotation(_ change: (inout Annotation) -> Void) -> Annotation {
        var annotation = Annotation()
        change(&annotation)
        return annotation
    }

    @Test("stands beside them, changes only what is said, and can be taken back")
    func said() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([try capture(session: "day", labels: ["a": "1", "b": "2"])])
        func say(_ change: (inout Annotation) -> Void) async throws -> CaptureSummary {
            try await catalogue.commit([.annotated(id, annotation(change), at: 7)])
            return try #require(try await catalogue.capture(id)).summary
        }
        var summary = try await say { ($0.rating, $0.note) = (4, "sharp") }
        #expect(summary.rating == 4 && summary.note == "sharp" && summary.isRejected == nil && summary.annotatedAt == 7)
        summary = try await say { $0.isRejected = true }
        #expect(summary.rating == 4 && summary.note == "sharp" && summary.isRejected == true)
        summary = try await say { ($0.labels, $0.removedLabels) = (["b": "3", "c": "4"], ["a", "z"]) }
        #expect(summary.labels == ["b": "3", "c": "4"] && summary.session == "day")
        summary = try await say { ($0.rating, $0.isRejected, $0.note, $0.session) = (0, false, "", "") }
        #expect(summary.rating == nil && summary.isRejected == nil && summary.note == nil && summary.session == nil)
    }

    @Test("is of photos as well, which have their capture's where nothing is said of them")
    func photos() async throws {
        let catalogue = try await scratch.open()
        let error = CaptureError(.diskFull, "full")
        try await catalogue.commit([
            try capture(), .photoFailed(photoID("a", 1), PhotoSlot(sequenceCount: 1, format: .jpeg), error),
            .photoFailed(photoID("a", 2), PhotoSlot(sequenceCount: 2, format: .jpeg), error),
            .annotated(id, annotation { $0.rating = 2 }, at: 5),
            .photoAnnotated(
                photoID("a", 2), annotation { ($0.rating, $0.isRejected, $0.note) = (5, true, "x") }, at: 9),
        ])
        let detail = try #require(try await catalogue.capture(id))
        #expect(detail.photos.map(\.rating) == [nil, 5] && detail.photos.map(\.isRejected) == [nil, true])
        #expect(detail.photos.map(\.note) == [nil, "x"] && detail.summary.annotatedAt == 9)
        func found(_ change: (inout PhotoFilter) -> Void) async throws -> [Int] {
            var filter = PhotoFilter()
            change(&filter)
            return try await catalogue.photos(filter).items.map(\.photo.record.photoCount)
        }
        #expect(try await found { $0.minRating = 2 } == [1, 2])
        #expect(try await found { $0.minRating = 3 } == [2])
        #expect(try await found { $0.isRejected = true } == [2])
        #expect(try await found { $0.isRejected = false } == [1])
        try await catalogue.commit([.annotated(id, annotation { $0.isRejected = true }, at: 10)])
        #expect(try await found { $0.isRejected = false } == [], "a rejected capture's photos are")
    }

    @Test("counts takes of a subject within its session, also of one that is moved there")
    func takes() async throws {
        let catalogue = try await scratch.open()
        func fire(_ number: Int64, _ session: String?, _ subject: String?) throws -> CatalogueChange {
            guard case .capture(var new) = try capture(number, session: session) else { throw CancellationError() }
            new.subject = subject
            return .capture(new)
        }
        try await catalogue.commit([
            try fire(0, "day", "vase"), try fire(1, "day", "vase"), try fire(2, "night", "vase"),
            try fire(3, nil, "vase"), try fire(4, nil, "vase"), try fire(5, "day", nil),
        ])
        func takes() async throws -> [Int?] {
            try await catalogue.captures(CaptureFilter()).items.sorted { $0.uniqueID < $1.uniqueID }.map(\.take)
        }
        #expect(try await takes() == [1, 2, 1, 1, 2, nil])
        func rename(_ number: Int64, _ change: (inout Annotation) -> Void) async throws {
            let id = UniqueID(rawValue: id.rawValue + number)
            try await catalogue.commit([.annotated(id, annotation(change), at: 1)])
        }
        try await rename(5) { $0.subject = "vase" }
        try await rename(2) { $0.session = "day" }
        #expect(try await takes() == [1, 2, 4, 1, 2, 3])
        try await rename(2) { $0.session = "day" }
        #expect(try await takes() == [1, 2, 4, 1, 2, 3], "what changes nothing leaves the take as it is")
        try await rename(0) { $0.subject = "" }
        #expect(try await takes() == [nil, 2, 4, 1, 2, 3])
    }

    @Test("is in the archive, which is behind until it has it")
    func archived() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([try capture(session: "day")])
        let before = try #require(try await catalogue.archive(of: id))
        try await catalogue.commit([
            .annotated(
                id, annotation { ($0.rating, $0.note, $0.labels, $0.subject) = (3, "n", ["k": "v"], "vase") }, at: 8)
        ])
        let known = ArchiveProgress(try #require(try await catalogue.capture(id)))
        let after = try #require(try await catalogue.archive(of: id))
        #expect(Catalogue.progress(of: before.json).map(known.exceeds) == true)
        #expect(Catalogue.progress(of: after.json) == known)
        let anew = Scratch()
        let rebuilt = try await anew.open()
        try await rebuilt.restore(id, from: after.json) { _ in }
        let (one, two) = (try await catalogue.capture(id), try await rebuilt.capture(id))
        #expect(one?.summary == two?.summary && two?.summary.rating == 3 && two?.summary.take == 1)
    }

    @Test("makes copies from before it old, as what is beside them lacks it")
    func copies() async throws {
        let catalogue = try await scratch.open()
        try PlantedCatalogue.fill(scratch.path, count: 1)
        let (first, time) = (UniqueID(rawValue: PlantedCatalogue.start + PlantedCatalogue.minute), 100 as UTCTime)
        func lacking() async throws -> [PhotoID] {
            try await catalogue.photos(withoutCopyAt: "nas", isAgain: false, after: nil, limit: 10).map(\.id)
        }
        let all = try await lacking()
        try await catalogue.noteCopies(of: all, at: "nas", verifiedAt: time)
        #expect(!all.isEmpty)
        #expect(try await lacking().isEmpty)
        try await catalogue.commit([.annotated(first, annotation { $0.rating = 1 }, at: time + .seconds(1))])
        #expect(try await lacking() == all)
        try await catalogue.noteCopies(of: all, at: "nas", verifiedAt: time + .seconds(2))
        #expect(try await lacking().isEmpty)
    }

    @Test("is told apart from what was said before, whatever the clock says")
    func clockSetBack() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([try capture(), .annotated(id, annotation { $0.rating = 1 }, at: 100)])
        let archive = try #require(try await catalogue.archive(of: id))
        let before = try #require(Catalogue.progress(of: archive.json))
        try await catalogue.commit([.annotated(id, annotation { $0.rating = 2 }, at: 50)])
        #expect(ArchiveProgress(try #require(try await catalogue.capture(id))).exceeds(before))
    }

    @Test(
        "is refused where it says nothing, or too much",
        arguments: [
            { _ in }, { $0.rating = 6 }, { $0.rating = -1 }, { $0.note = String(repeating: "x", count: 2001) },
            { $0.session = "a\u{1B}[2J" }, { $0.subject = "a\u{202E}b" }, { $0.labels = ["": "x"] },
            { $0.labels = ["k": "a\0"] }, { $0.note = "a\nb" },
            { $0.labels = Dictionary(uniqueKeysWithValues: (0..<65).map { ("\($0)", "") }) },
        ] as [@Sendable (inout Annotation) -> Void])
    func refused(change: @Sendable (inout Annotation) -> Void) { #expect(annotation(change).problem != nil) }
}
