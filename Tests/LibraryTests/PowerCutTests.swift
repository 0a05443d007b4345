import CaptureModel
import DurableFiles
import Library
import Posix
import SimulationKit
import Testing

@Suite("A library after a power cut at any call")
struct LibraryPowerCutTests {
    private let id = UniqueID(rawValue: 1_800_000_000_000_000)
    private let photos: [[UInt8]] = (1...3).map { count in [UInt8](repeating: UInt8(count), count: 700 * count) }

    @Test("has every photo that it said it finished", arguments: 0..<12)
    func finished(seed: Int) async throws {
        for call in 0..<40 {
            let disk = SimulatedFileSystem(seed: UInt64(seed * 1000 + call))
            disk.die(afterCalls: call)
            var finished = 0
            do {
                let library = try Library(root: "/library", files: disk)
                for (index, bytes) in photos.enumerated() {
                    let key = PhotoID(uniqueID: id, node: "a-b", photoCount: index)
                    try await library.append(Array(bytes.prefix(300)), to: key, at: 0)
                    try await library.append(Array(bytes.dropFirst(300)), to: key, at: 300)
                    try await library.complete(key, sha256: Digest.of(bytes), byteCount: bytes.count)
                    try await library.publish(key, as: "photos/day/\(index).jpg")
                    finished += 1
                }
            } catch {
                // The disk's end.
            }
            disk.restart(afterPowerCut: true)
            let library = try Library(root: "/library", files: disk)
            for index in 0..<finished { #expect(try disk.read("/library/photos/day/\(index).jpg") == photos[index]) }
            // What was half-way goes on, or begins anew where the cut has spoilt it.
            for (key, length) in try await library.partials() {
                let bytes = photos[key.photoCount]
                try await library.append(Array(bytes.dropFirst(length)), to: key, at: length)
                do {
                    try await library.complete(key, sha256: Digest.of(bytes), byteCount: bytes.count)
                    try await library.publish(key, as: "photos/day/x.jpg")
                    #expect(try disk.read("/library/photos/day/x.jpg") == bytes)
                } catch Library.Failure.digestMismatch {
                    #expect(try await library.partials()[key] == nil)
                }
            }
        }
    }

    @Test("finds a photo that is there on a disk that fails once: its node may have let go of it")
    func flakyDisk() async throws {
        var foundCount = 0
        for seed in 0..<100 {
            let disk = SimulatedFileSystem(seed: UInt64(seed))
            let library = try Library(root: "/library", files: disk)
            let key = PhotoID(uniqueID: id, node: "a-b", photoCount: 1)
            try await library.append(photos[0], to: key, at: 0)
            try await library.complete(key, sha256: Digest.of(photos[0]), byteCount: photos[0].count)
            try await library.publish(key, as: "photos/day/1.jpg")
            disk.faults.syncFailure = 0.2
            let isFound = await library.has(
                "photos/day/1.jpg", byteCount: photos[0].count, sha256: Digest.of(photos[0]))
            foundCount += isFound ? 1 : 0
        }
        // A third of the first tries fail, as two things are synced.
        #expect(foundCount > 90)
    }
}
