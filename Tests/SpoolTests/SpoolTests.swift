import CaptureModel
import Foundation
import Posix
import Spool
import Testing

/// A folder that goes with the test.
private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

private func event(_ id: Int64, _ sequence: Int, photo: PhotoRecord? = nil) -> CaptureEvent {
    CaptureEvent(
        uniqueID: UniqueID(rawValue: id), sequence: sequence, kind: .willCapturePhoto,
        time: MonotonicTime(nanoseconds: 5), sequenceCount: 1, photo: photo)
}

@Suite("The spool")
struct SpoolTests {
    private let scratch = Scratch()

    @Test("gives back events and photos after a restart, in order, until they are reclaimed")
    func survives() async throws {
        let id = UniqueID(rawValue: 7)
        var photo = PhotoRecord(
            photoCount: 2, sequenceCount: 1, format: .dng,
            requested: ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil))
        do {
            let first = try Spool(root: scratch.path)
            let kept = try await first.store([1, 2, 3], uniqueID: id, photoCount: 2, format: .dng)
            #expect(kept.sha256 == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
            photo.file = PhotoFile(
                byteCount: 3, sha256: kept.sha256, dimensions: Dimensions(width: 1, height: 1), imageUniqueID: "")
            for sequence in 1...3 { try await first.append(event(7, sequence, photo: sequence == 3 ? photo : nil)) }
            try await first.append(event(3, 1))
            #expect(throws: SystemError.self, "one node at a time") { try Spool(root: scratch.path) }
        }

        let second = try Spool(root: scratch.path)
        let remains = try await second.remains()
        #expect(remains.map(\.uniqueID.rawValue) == [3, 7])
        #expect(remains[1].events == (1...3).map { event(7, $0, photo: $0 == 3 ? photo : nil) })
        #expect(try await second.read(id, photoCount: 2, offset: 1, length: 10) == [2, 3])

        try await second.reclaim(id)
        try await second.reclaim(id)
        #expect(try await second.remains().map(\.uniqueID.rawValue) == [3])
    }

    @Test("leaves out a last line that a crash cut short")
    func torn() async throws {
        let spool = try Spool(root: scratch.path)
        try await spool.append(event(7, 1))
        let journal = scratch.path + "/7/events.jsonl"
        let handle = try #require(FileHandle(forWritingAtPath: journal))
        handle.seekToEndOfFile()
        handle.write(Data(#"{"uniqueID":7,"seq"#.utf8))
        #expect(try await spool.remains().first?.events.count == 1)
        // What comes next stands on a line of its own.
        try await spool.append(event(7, 2))
        #expect(try await spool.remains().first?.events.map(\.sequence) == [1, 2])
    }

    @Test("says which folder cannot be written")
    func unwritable() {
        let error = #expect(throws: SystemError.self) { try Spool(root: "/proc/volley") }
        #expect(error?.subject.contains("/proc") == true)
    }
}
