import CaptureModel
import Catalogue
import Foundation
import Testing

@Suite("What was deleted")
struct DeletionTests {
    private let scratch = Scratch()
    private let path = LibraryPath.photo(
        photoID("a", 1), PhotoSlot(sequenceCount: 1, format: .jpeg), createdAt: UTCTime(rawValue: id.rawValue))

    /// A capture that is over: of node a the first photo is stored, the second failed.
    private func filled() async throws -> Catalogue {
        let catalogue = try await scratch.open()
        let error = CaptureError(.diskFull, "full")
        try await catalogue.commit([
            try capture(session: "day", labels: ["k": "v"]), .event(node: "a", event(1, photo: photo(1, start: 1))),
            .photoStored(photoID("a", 1), path: path, at: 2),
            .photoFailed(photoID("a", 2), PhotoSlot(sequenceCount: 2, format: .jpeg), error),
            .captureState(id, .partial, reason: "x", fireRigTime: nil, at: 3),
        ])
        return catalogue
    }

    private func rooms(_ catalogue: Catalogue) async throws -> [PhotoPlace.Room?] {
        try await catalogue.photoPlaces(of: id).map(\.room)
    }

    @Test("is no longer among the captures, sessions and labels, and is found by its id")
    func hidden() async throws {
        let catalogue = try await filled()
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        func found(_ change: (inout CaptureFilter) -> Void) async throws -> [CaptureSummary] {
            var filter = CaptureFilter()
            change(&filter)
            return try await catalogue.captures(filter).items
        }
        #expect(try await found { _ in }.isEmpty)
        #expect(try await found { $0.isDeleted = true }.map(\.uniqueID) == [id])
        let summary = try #require(try await found { $0.digits = "\(id)" }.first)
        #expect(summary.deletedAt == 9 && summary.deletedBy == "bob")
        #expect(summary.storedPhotoCount == 0 && summary.deletedPhotoCount == 1)
        #expect(try await catalogue.sessions(since: nil, limit: 9).isEmpty)
        #expect(try await catalogue.labels(since: nil, limit: 9).isEmpty)
        #expect(try await catalogue.photos(PhotoFilter()).items.isEmpty)
        #expect(try await catalogue.problems().isEmpty)
        let counts = try await catalogue.photoCounts()
        #expect(counts.deleted == 1 && counts.stored == 0 && counts.awaited == 0 && counts.lost == 0)
    }

    @Test("comes back by itself where it was deleted last, and what was deleted before it stays in the trash")
    func since() async throws {
        let catalogue = try await filled()
        let second = LibraryPath.photo(
            photoID("a", 2), PhotoSlot(sequenceCount: 2, format: .jpeg), createdAt: UTCTime(rawValue: id.rawValue))
        try await catalogue.commit([
            .event(node: "a", event(2, photo: photo(2, start: 2))), .photoStored(photoID("a", 2), path: second, at: 4),
            .photoDeleted(photoID("a", 1), at: 5), .captureDeleted(id, by: "bob", at: 9),
        ])
        let last = try #require(try await catalogue.inTrash(CaptureFilter(), since: 9, isWithEmpty: true).items.first)
        #expect(last.photoCount == 1)
        try await catalogue.commit([.captureRecovered(id, deletedSince: 9, at: 10)])
        #expect(try await rooms(catalogue) == [.trash, .photos])
        #expect(try await catalogue.capture(id)?.summary.deletedAt == nil)
        try await catalogue.commit([.captureRecovered(id, at: 11)])
        #expect(try await rooms(catalogue) == [.photos, .photos])
    }

    @Test("was deleted last when its capture was, though its photos had been deleted before")
    func emptyShell() async throws {
        let catalogue = try await filled()
        try await catalogue.commit([.photoDeleted(photoID("a", 1), at: 5), .captureDeleted(id, by: "bob", at: 9)])
        let last = try #require(try await catalogue.inTrash(CaptureFilter(), isWithEmpty: true).items.first)
        #expect(last.deletedAt == 9)
        let found = try #require(try await catalogue.inTrash(CaptureFilter(), since: 9, isWithEmpty: true).items.first)
        #expect(found.uniqueID == id && found.photoCount == 0)
        try await catalogue.commit([.captureRecovered(id, deletedSince: 9, at: 10)])
        #expect(try await rooms(catalogue) == [.trash, nil])
        #expect(try await catalogue.capture(id)?.summary.deletedAt == nil)
    }

    @Test("goes into the trash, comes back from there, and is gone once that is emptied")
    func trash() async throws {
        let catalogue = try await filled()
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        #expect(try await rooms(catalogue) == [.trash, nil])
        let listed = try #require(try await catalogue.inTrash(CaptureFilter()).items.first)
        #expect(listed.photoCount == 1 && listed.byteCount == 10 && listed.deletedAt == 9 && listed.deletedBy == "bob")
        #expect(try await catalogue.inTrash(CaptureFilter(), deletedUntil: 8).items.isEmpty)
        try await catalogue.commit([.captureRecovered(id, at: 10)])
        let detail = try #require(try await catalogue.capture(id))
        #expect(detail.summary.deletedAt == nil && detail.photos[0].path == path && detail.photos[0].deletedAt == nil)
        try await catalogue.commit([
            .captureDeleted(id, by: "bob", at: 11), .trashEmptied(id, deletedUntil: 10, at: 12),
        ])
        #expect(try await rooms(catalogue) == [.trash, nil], "it was deleted later")
        try await catalogue.commit([.trashEmptied(id, deletedUntil: 11, at: 13), .captureRecovered(id, at: 14)])
        #expect(try await rooms(catalogue) == [.nowhere, nil])
        #expect(try await catalogue.inTrash(CaptureFilter(), isWithEmpty: true).items.isEmpty)
    }

    @Test("may be a photo alone, whose capture stays; what was not stored cannot be")
    func photos() async throws {
        let catalogue = try await filled()
        try await catalogue.commit([.photoDeleted(photoID("a", 1), at: 9), .photoDeleted(photoID("a", 2), at: 9)])
        let detail = try #require(try await catalogue.capture(id))
        #expect(
            detail.summary.deletedAt == nil && detail.photos[0].trashPath == path.replacing("photos/", with: "trash/"))
        #expect(detail.photos.map(\.deletedAt) == [9, nil] && detail.photos[1].record.error?.code == .diskFull)
        var filter = PhotoFilter()
        #expect(
            try await catalogue.photos(filter).items.map(\.photo.record.photoCount) == [2], "unless it is asked for")
        filter.states = [.deleted]
        #expect(try await catalogue.photos(filter).items.map(\.photo.record.photoCount) == [1])
    }

    @Test("does not come back because its node says again that it is there")
    func again() async throws {
        let catalogue = try await filled()
        try await catalogue.commit([
            .photoDeleted(photoID("a", 1), at: 9), .event(node: "a", event(1, photo: photo(1, start: 1))),
            .photoStored(photoID("a", 1), path: path, at: 10),
            .photoFailed(photoID("a", 1), PhotoSlot(sequenceCount: 1, format: .jpeg), CaptureError(.stalled, "")),
        ])
        #expect(try await rooms(catalogue) == [.trash, nil])
        #expect(try await catalogue.isSettled(id, node: "a", photoCount: 1))
    }

    @Test("takes with it a photo that comes later")
    func late() async throws {
        let catalogue = try await scratch.open()
        try await catalogue.commit([
            try capture(), .event(node: "a", event(1, photo: photo(1, start: 1))),
            .captureState(id, .failed, reason: nil, fireRigTime: nil, at: 3), .captureDeleted(id, by: "bob", at: 9),
            .photoStored(photoID("a", 1), path: path, at: 10),
        ])
        #expect(try await rooms(catalogue) == [.trash])
    }

    @Test("is in the archive, which is ahead of a catalogue that does not know it")
    func archived() async throws {
        let catalogue = try await filled()
        let before = try #require(try await catalogue.archive(of: id))
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        let after = try #require(try await catalogue.archive(of: id))
        let (old, new) = (Catalogue.progress(of: before.json), Catalogue.progress(of: after.json))
        #expect(try #require(new).exceeds(try #require(old)))
        let anew = Scratch()
        let rebuilt = try await anew.open()
        try await rebuilt.restore(id, from: after.json) { _ in }
        #expect(try await rebuilt.capture(id)?.summary == catalogue.capture(id)?.summary)
        #expect(try await rooms(rebuilt) == [.trash, nil])
    }
}
