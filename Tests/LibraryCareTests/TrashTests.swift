import CaptureModel
import Catalogue
import DurableFiles
import Foundation
import Library
import LibraryCare
import Testing

@Suite("A library's trash")
final class TrashTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    private let id = UniqueID(rawValue: 1_800_000_000_000_000)
    private let bytes: [UInt8] = [1, 2, 3]
    private var time: UTCTime { UTCTime(rawValue: id.rawValue) }
    private var home: String { "\(root)/\(LibraryPath.folder(of: id, createdAt: time))" }
    private var trash: String { "\(root)/\(LibraryPath.trash(of: id, createdAt: time))" }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    /// A capture of two photos, and what an editor put beside them.
    private func filled() async throws -> (Library, Catalogue) {
        let library = try Library(root: root)
        let catalogue = try Catalogue(
            path: root + "/catalogue.sqlite", startedAt: 1, rigTime: RigTime(nanoseconds: 0))
        let capture = NewCapture(
            uniqueID: id, requestID: "r", firedBy: "ada", plan: Plan(name: "p", bracket: try .burst(2)),
            createdAt: time, nodes: ["a"])
        var changes: [CatalogueChange] = [.node(name: "a", nil, at: 1), .capture(capture)]
        for step in 1...2 {
            let key = PhotoID(uniqueID: id, node: "a", photoCount: step)
            var photo = PhotoRecord(
                photoCount: step, sequenceCount: step, format: .jpeg,
                requested: ResolvedExposure(sequenceCount: step, exposureTargetBias: nil, duration: nil, iso: nil))
            photo.file = PhotoFile(
                byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: Dimensions(width: 1, height: 1),
                imageUniqueID: "")
            let event = CaptureEvent(
                uniqueID: id, sequence: step, kind: .didFinishProcessingPhoto, time: MonotonicTime(nanoseconds: 1),
                photo: photo)
            let path = LibraryPath.photo(key, photo.slot, createdAt: time)
            try await library.append(bytes, to: key, at: 0)
            try await library.complete(key, sha256: Digest.of(bytes), byteCount: bytes.count)
            try await library.publish(key, as: path)
            changes += [.event(node: "a", event), .photoStored(key, path: path, at: 2)]
        }
        changes += [
            .captureNodeState(id, node: "a", .owing, .complete, nil),
            .captureState(id, .complete, reason: nil, fireRigTime: nil, at: 3),
        ]
        try await catalogue.commit(changes)
        try await library.keep(id, as: catalogue)
        #expect(FileManager.default.createFile(atPath: home + "/a.xmp", contents: Data([1])))
        return (library, catalogue)
    }

    private func files() -> [String] { (1...2).map { "a_\(id)_0\($0).jpg" } }

    @Test("takes what is deleted and gives it back, and leaves alone what is somebody else's")
    func roundTrip() async throws {
        let (library, catalogue) = try await filled()
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        try await library.keep(id, as: catalogue)
        #expect(names(home) == ["a.xmp", "capture.json"] && names(trash) == files())
        let inspection = LibraryInspection(library.folder, catalogue)
        #expect(try await inspection.findings(isThorough: true).isEmpty)
        let places = try await catalogue.photoPlaces(of: id)
        #expect(try library.folder.trash(places, of: id, createdAt: time) == (true, []))
        try await catalogue.commit([.captureRecovered(id, at: 10)])
        try await library.keep(id, as: catalogue)
        #expect(names(home) == (["a.xmp"] + files() + ["capture.json"]).sorted() && names(trash) == [])
        #expect(!FileManager.default.fileExists(atPath: trash))
    }

    @Test("is put in order at the next start, where a power cut came between the word and the deed")
    func interrupted() async throws {
        let (library, catalogue) = try await filled()
        let inspection = LibraryInspection(library.folder, catalogue)
        func repair() async throws -> [LibraryInspection.Repair] {
            try await inspection.repair(inspection.findings(isThorough: false), now: time)
        }
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        #expect(try await repair().allSatisfy { $0.outcome == .done })
        #expect(names(home) == ["a.xmp", "capture.json"] && names(trash) == files())
        try await catalogue.commit([.captureRecovered(id, at: 10)])
        #expect(try await repair().allSatisfy { $0.outcome == .done })
        #expect(names(home).count == 4 && names(trash) == [])
        #expect(try await catalogue.capture(id)?.summary.storedPhotoCount == 2)
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 11)])
        try await library.keep(id, as: catalogue)
        try await catalogue.commit([.trashEmptied(id, deletedUntil: 11, at: 12)])
        #expect(try await repair().allSatisfy { $0.outcome == .done })
        #expect(names(trash) == [])
        #expect(try await inspection.findings(isThorough: true).isEmpty)
        #expect(try await catalogue.photoCounts().deleted == 2)
    }

    @Test("is respected by a catalogue that is made anew, or that is an old copy")
    func rebuilt() async throws {
        let (library, catalogue) = try await filled()
        let copy = root + "-copy.sqlite"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try catalogue.backup(to: copy, at: 4)
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        try await library.keep(id, as: catalogue)
        for path in [copy, root + "-new.sqlite"] {
            defer { try? FileManager.default.removeItem(atPath: path) }
            let other = try Catalogue(path: path, startedAt: 20, rigTime: RigTime(nanoseconds: 0))
            let inspection = LibraryInspection(library.folder, other)
            let repairs = try await inspection.repair(inspection.findings(isThorough: true), now: 21)
            #expect(repairs.allSatisfy { $0.outcome == .done }, "\(repairs)")
            #expect(try await other.capture(id)?.summary == catalogue.capture(id)?.summary)
            #expect(names(trash) == files() && names(home) == ["a.xmp", "capture.json"])
        }
    }

    @Test("may be emptied by hand: that is no damage")
    func byHand() async throws {
        let (library, catalogue) = try await filled()
        try await catalogue.commit([.captureDeleted(id, by: "bob", at: 9)])
        try await library.keep(id, as: catalogue)
        try FileManager.default.removeItem(atPath: root + "/trash")
        let inspection = LibraryInspection(library.folder, catalogue)
        #expect(try await inspection.findings(isThorough: true).isEmpty)
        let places = try await catalogue.photoPlaces(of: id)
        #expect(try library.folder.trash(places, of: id, createdAt: time) == (true, files()))
        try await catalogue.commit([.trashEmptied(id, deletedUntil: 9, at: 10)])
        try await library.keep(id, as: catalogue)
        #expect(try await catalogue.inTrash(CaptureFilter()).items.isEmpty)
    }
}
