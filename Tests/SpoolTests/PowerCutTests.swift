import CaptureModel
import DurableFiles
import Glibc
import Posix
import SimulationKit
import Spool
import Synchronization
import Testing

private let id = UniqueID(rawValue: 1_800_000_000_000_000)

private let requested = ResolvedExposure(sequenceCount: 1, exposureTargetBias: nil, duration: nil, iso: nil)

private func event(_ sequence: Int, of id: UniqueID = id, photo: PhotoRecord? = nil) -> CaptureEvent {
    var event = CaptureEvent(
        uniqueID: id, sequence: sequence, kind: .willCapturePhoto, time: MonotonicTime(nanoseconds: 5),
        sequenceCount: 1)
    event.photo = photo
    return event
}

@Suite("A spool after a power cut at any call")
struct SpoolPowerCutTests {
    private let photos: [[UInt8]] = (1...3).map { count in [UInt8](repeating: UInt8(count), count: 700 * count) }

    /// Keeps an event, as captures begin with one, and three photos and their events, until the disk's end.
    private func fill(_ disk: SimulatedFileSystem) async -> (photos: Int, events: Int) {
        var kept = (photos: 0, events: 0)
        do {
            let spool = try Spool(root: "/spool", files: disk)
            try await spool.append(event(1))
            kept.events += 1
            for (index, bytes) in photos.enumerated() {
                let file = try await spool.store(bytes, uniqueID: id, photoCount: index + 1, format: .jpeg)
                kept.photos += 1
                var record = PhotoRecord(
                    photoCount: index + 1, sequenceCount: index + 1, format: .jpeg,
                    requested: requested)
                record.file = PhotoFile(
                    byteCount: file.byteCount, sha256: file.sha256, dimensions: Dimensions(width: 1, height: 1),
                    imageUniqueID: "")
                try await spool.append(event(index + 2, photo: record))
                kept.events += 1
            }
        } catch {
            // The disk's end.
        }
        return kept
    }

    @Test("has every event and photo that it said it kept, and nothing that is not whole", arguments: 0..<12)
    func spool(seed: Int) async throws {
        for call in 0..<60 {
            let disk = SimulatedFileSystem(seed: UInt64(seed * 1000 + call))
            disk.faults.syncFailure = seed % 3 == 0 ? 0.1 : 0
            disk.die(afterCalls: call)
            let kept = await fill(disk)
            disk.faults.syncFailure = 0
            disk.restart(afterPowerCut: true)
            let spool = try Spool(root: "/spool", files: disk)
            let remains = try await spool.remains()
            let events = remains.first?.events ?? []
            #expect(events.count >= kept.events, "call \(call)")
            #expect(events.map(\.sequence) == Array(1..<events.count + 1))
            // The photo after the last event, if it was whole already, and nothing else.
            let untold = disk.names(in: "/spool/quarantine").filter { !$0.hasSuffix(".part") }
            #expect(untold == [] || untold == ["\(id)-\(max(1, events.count)).jpg"], "call \(call)")
            #expect(remains.first?.damages.count ?? 0 == untold.count, "call \(call)")
            for count in 0..<max(0, events.count - 1) {
                let bytes = try await spool.read(id, photoCount: count + 1, offset: 0, length: 10_000)
                #expect(bytes == photos[count])
            }
            // What is added next is read again.
            try await spool.append(event(events.count + 1))
            #expect(try await spool.remains().first?.events.count == events.count + 1)
        }
    }

    @Test("of the next run, what a run that was killed had left is durable as well", arguments: 0..<40)
    func secondRun(call: Int) async throws {
        for seed in 0..<10 {
            let disk = SimulatedFileSystem(seed: UInt64(seed * 1000 + call))
            disk.die(afterCalls: call)
            _ = await fill(disk)
            // Killed, not cut: what was in the cache is there still.
            disk.restart(afterPowerCut: false)
            var told = 0
            do {
                let spool = try Spool(root: "/spool", files: disk)
                told = try await spool.remains().first?.events.count ?? 0
                try await spool.append(event(told + 1))
                told += 1
            }
            disk.restart(afterPowerCut: true)
            let spool = try Spool(root: "/spool", files: disk)
            #expect(try await spool.remains().first?.events.count == told)
        }
    }
}

@Suite("A spool on a bad disk")
struct BadDiskTests {
    private let disk = SimulatedFileSystem(seed: 7)

    private func record(_ bytes: [UInt8], _ photoCount: Int) -> PhotoRecord {
        var record = PhotoRecord(
            photoCount: photoCount, sequenceCount: 1, format: .jpeg, requested: requested)
        record.file = PhotoFile(
            byteCount: bytes.count, sha256: Digest.of(bytes), dimensions: Dimensions(width: 1, height: 1),
            imageUniqueID: "")
        return record
    }

    @Test("puts a damaged photo aside, says so, and sends it no more")
    func damagedPhoto() async throws {
        let bytes = [UInt8](repeating: 3, count: 100)
        do {
            let spool = try Spool(root: "/spool", files: disk)
            for count in 1...2 {
                _ = try await spool.store(bytes, uniqueID: id, photoCount: count, format: .jpeg)
                try await spool.append(event(count, photo: record(bytes, count)))
            }
        }
        #expect(disk.damage("/spool/\(id)/2.jpg"))
        let spool = try Spool(root: "/spool", files: disk)
        // A watchdog hears of each file: all of them may take minutes.
        let progress = Mutex(0)
        let remains = try #require(try await spool.remains { progress.withLock { $0 += 1 } }.first)
        #expect(progress.withLock { $0 } == 3)
        #expect(remains.damages.count == 1 && remains.damages[0].contains("2.jpg is damaged"))
        #expect(remains.events.count == 2)
        #expect(try await spool.read(id, photoCount: 1, offset: 0, length: 200) == bytes)
        await #expect(throws: SystemError.self) {
            try await spool.read(id, photoCount: 2, offset: 0, length: 200)
        }
        #expect(disk.names(in: "/spool/quarantine") == ["\(id)-2.jpg"])
    }

    @Test("keeps a copy of a journal that is damaged in the middle")
    func damagedJournal() async throws {
        do {
            let spool = try Spool(root: "/spool", files: disk)
            for sequence in 1...3 { try await spool.append(event(sequence)) }
        }
        let path = "/spool/\(id)/events.jsonl"
        var lines = try disk.read(path)
        lines[2] = 0
        try disk.writeDurably(lines, to: path)
        let spool = try Spool(root: "/spool", files: disk)
        #expect(try await spool.remains().first?.events.isEmpty == true)
        #expect(disk.names(in: "/spool/quarantine") == ["\(id)-events.jsonl"])
    }

    /// The last lines of a journal: one that is none, some of them, or no journal at all.
    @Test(
        "keeps the photos that a damaged journal no longer tells of",
        arguments: [(1, "\n?\n?\n"), (2, "\n?\n"), (2, "\n?"), (1, "\n"), (0, ""), (0, nil)] as [(Int, String?)])
    func untold(soundLines: Int, rest: String?) async throws {
        let bytes = [UInt8](repeating: 3, count: 100)
        do {
            let spool = try Spool(root: "/spool", files: disk)
            for count in 1...3 {
                _ = try await spool.store(bytes, uniqueID: id, photoCount: count, format: .jpeg)
                try await spool.append(event(count, photo: record(bytes, count)))
            }
        }
        let path = "/spool/\(id)/events.jsonl"
        let lines = try disk.read(path).split(separator: 0x0A).prefix(soundLines)
        if let rest {
            try disk.writeDurably(Array(lines.joined(separator: [0x0A])) + Array(rest.utf8), to: path)
        } else {
            try disk.remove(path)
            try disk.syncFolder("/spool/\(id)")
        }
        let remains = try #require(try await Spool(root: "/spool", files: disk).remains().first)
        #expect(remains.events.count == soundLines && !remains.damages.isEmpty)
        #expect(remains.damages.allSatisfy { $0.contains("/spool/quarantine/\(id)-") })
        let names = (soundLines + 1...3).map { "\(id)-\($0).jpg" }
        #expect(disk.names(in: "/spool/quarantine").filter { $0.hasSuffix("jpg") } == names)
    }

    @Test("leaves where it is what cannot be read, also a journal, and goes on with the rest")
    func unreadable() async throws {
        let bytes = [UInt8](repeating: 3, count: 100)
        let other = UniqueID(rawValue: id.rawValue + 1)
        do {
            let spool = try Spool(root: "/spool", files: disk)
            for id in [id, other] {
                _ = try await spool.store(bytes, uniqueID: id, photoCount: 1, format: .jpeg)
                try await spool.append(event(1, of: id, photo: record(bytes, 1)))
            }
        }
        disk.faults.unreadable = ["/spool/\(id)/events.jsonl": EIO, "/spool/\(other)/1.jpg": EACCES]
        let spool = try Spool(root: "/spool", files: disk)
        let remains = try await spool.remains()
        #expect(remains.map(\.events.count) == [0, 1])
        #expect(remains.allSatisfy { $0.damages.count == 1 && $0.damages[0].contains("stays where it is") })
        disk.faults.unreadable = [:]
        #expect(try await spool.remains().map(\.events.count) == [1, 1])
        for id in [id, other] {
            #expect(try await spool.read(id, photoCount: 1, offset: 0, length: 200) == bytes)
        }
        // A bad sector stays bad: what waits for the photo is told so.
        disk.faults.unreadable = ["/spool/\(other)/1.jpg": EIO]
        #expect(try await spool.remains().last?.damages.count == 1)
        #expect(disk.names(in: "/spool/quarantine") == ["\(other)-1.jpg"])
    }

    @Test("when it is full still takes events, from its reserve, and takes the reserve again")
    func full() async throws {
        disk.faults.capacity = 2 << 20
        let spool = try Spool(root: "/spool", files: disk)
        try await spool.append(event(1))
        await #expect(throws: SystemError.self) {
            try await spool.store([UInt8](repeating: 1, count: 2 << 20), uniqueID: id, photoCount: 1, format: .jpeg)
        }
        disk.faults.capacity = (1 << 20) + 400
        // A restart writes each journal anew.
        for sequence in 2...10 { try await spool.append(event(sequence)) }
        let size = try disk.read("/spool/\(id)/events.jsonl").count
        disk.faults.capacity = (1 << 20) + size
        #expect(try await spool.remains().first?.events.count == 10)
        for sequence in 11...20 { try await spool.append(event(sequence)) }
        #expect(try await spool.remains().first?.events.count == 20)
        #expect(disk.byteCount(of: "/spool/reserve") == nil)
        // Others have taken its room: there is none to write a journal anew, not even one that a crash cut short.
        let whole = try disk.read("/spool/\(id)/events.jsonl")
        for lines in [whole, whole.dropLast(20)] {
            try disk.writeDurably(lines, to: "/spool/\(id)/events.jsonl")
            disk.faults.capacity = size
            let spool = try Spool(root: "/spool", files: disk)
            let count = lines.count == whole.count ? 20 : 19
            #expect(try await spool.remains().first?.events.count == count)
            disk.faults.capacity = 2 << 20
            try await spool.append(event(count + 1))
            #expect(try await spool.events(of: id).count == count + 1)
        }
        disk.faults.capacity = 2 << 20
        try await spool.reclaim(id)
        #expect(disk.byteCount(of: "/spool/reserve") == 1 << 20)
    }
}
