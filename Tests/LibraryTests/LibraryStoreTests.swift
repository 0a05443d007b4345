import CaptureModel
import DurableFiles
import Foundation
import Library
import Posix
import Testing

/// A folder that goes with the test.
private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("The library")
struct LibraryStoreTests {
    private let scratch = Scratch()
    private let key = PhotoID(uniqueID: UniqueID(rawValue: 1_800_000_000_000_000), node: "north", photoCount: 1)

    @Test("takes a photo in pieces, checks its hash and gives it its name")
    func stores() async throws {
        let library = try Library(root: scratch.path)
        let path = LibraryPath.photo(
            key, PhotoSlot(sequenceCount: 2, format: .jpeg), createdAt: UTCTime(rawValue: key.uniqueID.rawValue))
        #expect(path == "photos/2027-01-15/1800000000000000/north_1800000000000000_02.jpg")
        try await library.append([1, 2], to: key, at: 0)
        try await library.append([3], to: key, at: 2)
        try await library.complete(key, sha256: Digest.of([1, 2, 3]), byteCount: 3)
        try await library.publish(key, as: path)
        #expect(try PosixFileSystem().read(scratch.path + "/" + path) == [1, 2, 3])
        #expect(try PosixFileSystem().names(in: scratch.path + "/incoming").isEmpty)
    }

    private static let otherFileSystem = "/dev/shm"

    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
    }

    @Test(
        "is refused where its photos are on another file system, before anything is fired",
        .enabled(if: device(of: otherFileSystem).map { $0 != device(of: NSTemporaryDirectory()) } ?? false))
    func twoFileSystems() throws {
        let elsewhere = Self.otherFileSystem + "/volley-\(UUID())"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: elsewhere) }
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: scratch.path + "/photos", withDestinationPath: elsewhere)
        let error = #expect(throws: SystemError.self) { try Library(root: scratch.path) }
        #expect(error?.errno == EXDEV)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/incoming") == [])
    }

    @Test("lets nothing change a photo that becomes durable")
    func publishing() async throws {
        let library = try Library(root: scratch.path)
        try await library.append([1, 2, 3], to: key, at: 0)
        try await library.complete(key, sha256: Digest.of([1, 2, 3]), byteCount: 3)
        await #expect(throws: Library.Failure.self) { try await library.append([9], to: key, at: 0) }
        await library.discard(key)
        try await library.publish(key, as: "photos/x/y.jpg")
        #expect(try PosixFileSystem().read(scratch.path + "/photos/x/y.jpg") == [1, 2, 3])
    }

    @Test("has a photo that was put aside while nobody knew its hash, and puts it back")
    func putAside() async throws {
        let library = try Library(root: scratch.path)
        let path = "photos/x/y.jpg"
        try await library.append([1, 2, 3], to: key, at: 0)
        try await library.complete(key, sha256: Digest.of([1, 2, 3]), byteCount: 3)
        try await library.publish(key, as: path)
        _ = try library.folder.quarantine(path)
        // Another file of that name replaces none that was put aside.
        try PosixFileSystem().writeDurably([9], to: scratch.path + "/" + path)
        #expect(try library.folder.quarantine(path).hasSuffix("quarantine/photos_x_y.jpg.2"))
        #expect(await !library.has(path, byteCount: 3, sha256: Digest.of([4, 5, 6])))
        #expect(await library.has(path, byteCount: 3, sha256: Digest.of([1, 2, 3])))
        #expect(try PosixFileSystem().read(scratch.path + "/" + path) == [1, 2, 3])
    }

    @Test("stays its owner's where root repairs it", .enabled(if: geteuid() == 0))
    func owner() throws {
        let files = PosixFileSystem()
        let root = scratch.path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        #expect(chown(root, 4711, 4712) == 0)
        try files.makeFolders(root + "/a/b")
        try files.writeDurably([1], to: root + "/a/b/c")
        try withExtendedLifetime(files.lock(root)) {}
        for path in ["a", "a/b", "a/b/c", "lock"] {
            var status = stat()
            #expect(stat("\(root)/\(path)", &status) == 0 && status.st_uid == 4711 && status.st_gid == 4712, "\(path)")
        }
    }

    @Test("has no file emptied or given away by a link in its place")
    func links() throws {
        let files = PosixFileSystem()
        let root = scratch.path + "/library"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let other = scratch.path + "/other"
        try files.writeDurably([1], to: other)
        for name in ["lock", "a.part"] {
            try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: other)
        }
        #expect(link(other, root + "/b.part") == 0)
        #expect(throws: SystemError.self) { try files.lock(root) }
        for name in ["a", "b"] { try files.writeDurably([2], to: "\(root)/\(name)") }
        #expect(try files.read(other) == [1])
        guard geteuid() == 0 else { return }
        #expect(chown(root, 4711, 4712) == 0 && unlink(root + "/lock") == 0 && link(other, root + "/lock") == 0)
        try withExtendedLifetime(files.lock(root)) {}
        var status = stat()
        #expect(stat(other, &status) == 0 && status.st_uid == 0)
    }

    @Test("takes nothing for lost that only cannot be read")
    func unreadable() throws {
        let folder = LibraryFolder(root: scratch.path)
        #expect(try folder.digest(of: "none.jpg") == nil)
        #expect(try folder.archive(in: "none") == nil)
        #expect(try folder.names(in: "none").isEmpty)
        try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
        // It would be there, were there not too many links: root may read everything else.
        for name in ["loop", "loop.jpg"] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(scratch.path)/\(name)", withDestinationPath: "\(scratch.path)/\(name)")
        }
        #expect(throws: SystemError.self) { try folder.digest(of: "loop.jpg") }
        #expect(throws: SystemError.self) { try folder.archive(in: "loop") }
        #expect(throws: SystemError.self) { try folder.names(in: "loop") }
    }

    @Test(
        "refuses what its node took, but is no picture of the format that its name says, and leaves nothing of it",
        arguments: PhotoFormat.allCases)
    func otherFormat(format: PhotoFormat) async throws {
        let library = try Library(root: scratch.path)
        for text in ["<html><body>Sign in</body></html>", "\u{0}\u{0}\u{0}\u{0}", "no", "II*"] {
            let bytes = Array(text.utf8)
            try await library.append(bytes, to: key, at: 0)
            let error = await #expect(throws: Library.Failure.self) {
                try await library.complete(
                    key, sha256: Digest.of(bytes), byteCount: bytes.count, format: format)
            }
            #expect(error?.description.contains(format.rawValue.uppercased()) == true)
            #expect(try PosixFileSystem().names(in: scratch.path + "/incoming").isEmpty)
        }
    }

    @Test("refuses a photo whose hash differs, and leaves nothing of it")
    func mismatch() async throws {
        let library = try Library(root: scratch.path)
        try await library.append([1, 2], to: key, at: 0)
        await #expect(throws: Library.Failure.self) {
            try await library.complete(key, sha256: Digest.of([9]), byteCount: 2)
        }
        #expect(try PosixFileSystem().names(in: scratch.path + "/incoming").isEmpty)
        #expect(try PosixFileSystem().names(in: scratch.path + "/photos").isEmpty)
    }
}
