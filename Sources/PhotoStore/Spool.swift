package import CaptureModel
import FoundationEssentials
import Glibc
package import Posix

/// A node's durable store of what the coordinator has not yet acknowledged.
///
/// ```
/// spool/<uniqueID>/events.jsonl    one event a line, appended and synced before it is sent
/// spool/<uniqueID>/3.dng           photo 3, whole or not there
/// ```
///
/// A photo is durable before the event that offers it is. A folder goes when the coordinator has stored all of it.
package actor Spool {
    /// What is left of a capture after a restart.
    package struct Remains: Sendable {
        package let uniqueID: UniqueID
        package let events: [CaptureEvent]
    }

    private let root: String
    /// Held for as long as the spool is open: a second node would settle debts that this one is still paying.
    private let lock: OwnedFileDescriptor
    private let executor = ThreadExecutor(name: "spool")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a spool, making its folder where it is missing.
    ///
    /// - Throws: ``SystemError`` when the folder cannot be written; of the call `flock` when another node has it.
    package init(root: String) throws(SystemError) {
        try DurableFile.makeFolder(root)
        guard access(root, W_OK | X_OK) == 0 else { throw .last("access", root) }
        lock = try OwnedFileDescriptor(path: root + "/lock", flags: O_RDWR | O_CREAT)
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw .last("flock", root) }
        self.root = root
    }

    // MARK: Writing

    /// Keeps a photo.
    package func store(
        _ bytes: [UInt8], uniqueID: UniqueID, photoCount: Int, format: PhotoFormat
    ) throws(SystemError) -> (byteCount: Int, sha256: String) {
        try DurableFile.makeFolder(folder(uniqueID))
        try DurableFile.write(bytes, to: path(uniqueID, photoCount, format))
        return (bytes.count, Digest.of(bytes))
    }

    /// Adds an event to the capture's journal; durable when this returns.
    package func append(_ event: CaptureEvent) throws(SystemError) {
        let folder = folder(event.uniqueID)
        try DurableFile.makeFolder(folder)
        let path = folder + "/events.jsonl"
        let isNew = access(path, F_OK) != 0
        let encoded: Data
        do {
            encoded = try JSONEncoder().encode(event)
        } catch {
            preconditionFailure("an event has a JSON form: \(error)")
        }
        if isNew {
            try DurableFile.write(Array(encoded) + [0x0A], to: path)
        } else {
            let file = try OwnedFileDescriptor(path: path, flags: O_WRONLY | O_APPEND)
            let end = lseek(file.rawValue, 0, SEEK_END)
            do throws(SystemError) {
                try DurableFile.append(Array(encoded) + [0x0A], to: file, path: path)
                try DurableFile.sync(file, path: path)
            } catch {
                // Half a line would swallow the next one.
                ftruncate(file.rawValue, end)
                throw error
            }
        }
    }

    /// Frees a photo that the coordinator has.
    package func reclaim(_ uniqueID: UniqueID, photoCount: Int) throws(SystemError) {
        for format in PhotoFormat.allCases { try DurableFile.remove(path(uniqueID, photoCount, format)) }
    }

    /// Frees a capture that the coordinator has whole.
    package func reclaim(_ uniqueID: UniqueID) throws(SystemError) {
        let folder = folder(uniqueID)
        // The journal last: what stands without it would be nobody's.
        for name in DurableFile.names(in: folder) where name != "events.jsonl" {
            try DurableFile.remove(folder + "/" + name)
        }
        try DurableFile.remove(folder + "/events.jsonl")
        if rmdir(folder) != 0 && errno != ENOENT { throw .last("rmdir", folder) }
    }

    // MARK: Reading

    /// A piece of a photo.
    package func read(
        _ uniqueID: UniqueID, photoCount: Int, offset: Int, length: Int
    ) throws(SystemError) -> [UInt8] {
        for format in PhotoFormat.allCases {
            let path = path(uniqueID, photoCount, format)
            guard access(path, F_OK) == 0 else { continue }
            let file = try OwnedFileDescriptor(path: path, flags: O_RDONLY)
            return try DurableFile.read(file, path: path, offset: offset, length: length)
        }
        throw SystemError(call: "open", errno: ENOENT, subject: "photo \(photoCount) of \(uniqueID)")
    }

    /// What a former run of the node left, oldest first. A last line that a crash cut short was never sent.
    package func remains() throws(SystemError) -> [Remains] {
        var all: [Remains] = []
        for name in DurableFile.names(in: root) {
            guard let number = Int64(name) else { continue }
            let path = root + "/" + name + "/events.jsonl"
            let bytes = access(path, F_OK) == 0 ? try DurableFile.read(path) : []
            let events = Self.events(in: bytes)
            if !events.isEmpty, events.count != bytes.count(where: { $0 == 0x0A }) || bytes.last != 0x0A {
                try rewrite(events, path)
            }
            if events.isEmpty {
                try reclaim(UniqueID(rawValue: number))
            } else {
                all.append(Remains(uniqueID: UniqueID(rawValue: number), events: events))
            }
        }
        return all.sorted { $0.uniqueID < $1.uniqueID }
    }

    /// The events up to the first line that a crash cut short.
    private static func events(in bytes: [UInt8]) -> [CaptureEvent] {
        var events: [CaptureEvent] = []
        for line in bytes.split(separator: 0x0A) {
            guard let event = try? JSONDecoder().decode(CaptureEvent.self, from: Data(line)) else { break }
            events.append(event)
        }
        return events
    }

    /// Makes a journal whole again, so that what is added next stands on a line of its own.
    private func rewrite(_ events: [CaptureEvent], _ path: String) throws(SystemError) {
        let lines = events.compactMap { try? JSONEncoder().encode($0) + [0x0A] }
        try DurableFile.write(lines.flatMap { [UInt8]($0) }, to: path)
    }

    /// Bytes left on the spool's file system.
    package func freeBytes() throws(SystemError) -> Int64 {
        try DurableFile.freeBytes(at: root)
    }

    private func folder(_ uniqueID: UniqueID) -> String { "\(root)/\(uniqueID)" }

    private func path(_ uniqueID: UniqueID, _ photoCount: Int, _ format: PhotoFormat) -> String {
        "\(folder(uniqueID))/\(photoCount).\(format.pathExtension)"
    }
}
