package import CaptureModel
import FoundationEssentials
import Glibc
package import Posix

/// A node's durable store of what the coordinator has not yet acknowledged.
///
/// ```
/// spool/<uniqueID>/events.jsonl    one event a line, appended and synced before it is sent
/// spool/<uniqueID>/3.dng           photo 3, whole or not there
/// spool/quarantine/                what was found damaged: kept for a person, never sent
/// spool/reserve                    room for the last events on a full disk
/// spool/epoch                      which coordinator the node obeys
/// ```
///
/// A photo is durable before the event that offers it is. A folder goes when the coordinator has stored all of it.
package actor Spool {
    /// What is left of a capture after a restart.
    package struct Remains: Sendable {
        package let uniqueID: UniqueID
        package let events: [CaptureEvent]
        /// What was found damaged, a sentence each.
        package let damages: [String]
    }

    /// Enough for the events of the longest bracket, in bytes.
    private static let reserveByteCount = 1 << 20

    private let root: String
    private let byteLimit: Int64?
    private let files: any FileSystem
    private var folders: DurableFolders
    /// Held for as long as the spool is open: a second node would settle debts that this one is still paying.
    private let lock: any FileLock
    /// Journals that failed to be written, and how many of their bytes are good: after a failed sync the next one of
    /// the same file says that all is well, when it is not.
    private var tainted: [UniqueID: Int] = [:]
    private let executor = ThreadExecutor(name: "spool")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a spool, making its folder where it is missing.
    ///
    /// - Parameter byteLimit: what it may take of its file system, in bytes; nil for all of it.
    /// - Throws: ``SystemError`` when the folder cannot be written; of the call `flock` when another node has it.
    package init(
        root: String, byteLimit: Int64? = nil, files: any FileSystem = PosixFileSystem()
    ) throws(SystemError) {
        self.root = root
        self.byteLimit = byteLimit
        self.files = files
        folders = try DurableFolders(root: root, files)
        lock = try files.lock(root)
        Self.takeReserve(root, files)
    }

    // MARK: Writing

    /// Keeps a photo.
    package func store(
        _ bytes: [UInt8], uniqueID: UniqueID, photoCount: Int, format: PhotoFormat
    ) throws(SystemError) -> (byteCount: Int, sha256: String) {
        let path = path(uniqueID, photoCount, format)
        // Once the reserve is spent, what is left is for events: without them no photo is ever told of.
        if files.byteCount(of: root + "/reserve") != Self.reserveByteCount,
            try files.freeBytes(at: root) < bytes.count + Self.reserveByteCount
        {
            throw SystemError(call: "write", errno: ENOSPC, subject: path)
        }
        try folders.make(folder(uniqueID))
        try files.writeDurably(bytes, to: path)
        return (bytes.count, Digest.of(bytes))
    }

    /// Adds an event to the capture's journal; durable when this returns.
    ///
    /// An event that could not be written was not: what is tried again stands where it would have stood.
    package func append(_ event: CaptureEvent) throws(SystemError) {
        let line = Self.line(event)
        do throws(SystemError) {
            try append(line, to: event.uniqueID)
        } catch  where error.isOutOfSpace {
            try files.remove(root + "/reserve")
            try append(line, to: event.uniqueID)
        }
    }

    private func append(_ line: [UInt8], to id: UniqueID) throws(SystemError) {
        let path = journal(id)
        guard files.byteCount(of: path) != nil else {
            try folders.make(folder(id))
            return try files.writeDurably(line, to: path)
        }
        if tainted[id] == nil {
            let file = try files.open(path, .append)
            let end = try file.byteCount()
            do throws(SystemError) {
                try file.append(line)
                return try file.sync()
            } catch {
                tainted[id] = end
            }
        }
        // The lines before it, in a new file, and this one with them.
        let before = try files.open(path, .read).read(offset: 0, length: tainted[id] ?? 0)
        try files.writeDurably(before + line, to: path)
        tainted[id] = nil
    }

    private static func takeReserve(_ root: String, _ files: any FileSystem) {
        let path = root + "/reserve"
        guard files.byteCount(of: path) != reserveByteCount else { return }
        // Where there is no room even for this, no capture is accepted either.
        try? files.open(path, .create).reserve(reserveByteCount)
    }

    /// Frees a photo that the coordinator has.
    package func reclaim(_ uniqueID: UniqueID, photoCount: Int) throws(SystemError) {
        for format in PhotoFormat.allCases { try files.remove(path(uniqueID, photoCount, format)) }
    }

    /// Frees a capture that the coordinator has whole.
    package func reclaim(_ uniqueID: UniqueID) throws(SystemError) {
        let folder = folder(uniqueID)
        // The journal last: what stands without it would be nobody's.
        for name in files.names(in: folder) where name != "events.jsonl" {
            try files.remove(folder + "/" + name)
        }
        try files.remove(journal(uniqueID))
        try files.removeFolder(folder)
        folders.forget(folder)
        Self.takeReserve(root, files)
    }

    // MARK: Reading

    /// A piece of a photo.
    package func read(
        _ uniqueID: UniqueID, photoCount: Int, offset: Int, length: Int
    ) throws(SystemError) -> [UInt8] {
        for format in PhotoFormat.allCases {
            let path = path(uniqueID, photoCount, format)
            guard files.byteCount(of: path) != nil else { continue }
            return try files.open(path, .read).read(offset: offset, length: length)
        }
        throw SystemError(call: "open", errno: ENOENT, subject: "photo \(photoCount) of \(uniqueID)")
    }

    /// All events that are kept now, of each capture, oldest first.
    package func journals() throws(SystemError) -> [[CaptureEvent]] {
        var all: [[CaptureEvent]] = []
        for id in files.names(in: root).compactMap(Int64.init).sorted().map(UniqueID.init(rawValue:))
        where files.byteCount(of: journal(id)) != nil {
            all.append(Self.events(in: try files.read(journal(id))).0)
        }
        return all
    }

    /// The epoch of the coordinator that the node obeys; 0 where it has obeyed none.
    package func epoch() throws(SystemError) -> Int64 {
        let path = root + "/epoch"
        guard files.byteCount(of: path) != nil else { return 0 }
        return Int64(String(decoding: try files.read(path), as: UTF8.self)) ?? 0
    }

    package func keep(epoch: Int64) throws(SystemError) {
        try files.writeDurably(Array("\(epoch)".utf8), to: root + "/epoch")
    }

    /// What a former run of the node left, oldest first. A last line that a crash cut short was never sent.
    ///
    /// Every photo is read and hashed: a damaged one is put into quarantine, so that it is never sent as good.
    package func remains() throws(SystemError) -> [Remains] {
        var all: [Remains] = []
        for name in files.names(in: root) {
            guard let number = Int64(name) else { continue }
            let id = UniqueID(rawValue: number)
            let path = journal(id)
            let bytes = files.byteCount(of: path) == nil ? [] : try files.read(path)
            let (events, isTorn) = Self.events(in: bytes)
            guard !events.isEmpty else {
                // The journal comes first and goes last: without one the rest is nobody's.
                let damages = try bytes.isEmpty ? [] : quarantineAll(of: id)
                try reclaim(id)
                if !damages.isEmpty { all.append(Remains(uniqueID: id, events: [], damages: damages)) }
                continue
            }
            var damages: [String] = []
            if isTorn == .inTheMiddle { damages.append(try quarantine(path, of: id)) }
            // What was read may be in the cache alone: the former run may have died before it was synced.
            try folders.make(folder(id))
            try files.writeDurably(events.flatMap(Self.line), to: path)
            damages += try checkPhotos(of: id, events)
            all.append(Remains(uniqueID: id, events: events, damages: damages))
        }
        return all.sorted { $0.uniqueID < $1.uniqueID }
    }

    private func checkPhotos(of id: UniqueID, _ events: [CaptureEvent]) throws(SystemError) -> [String] {
        var damages: [String] = []
        for photo in events.compactMap(\.photo) {
            let path = path(id, photo.photoCount, photo.format)
            // One that is not there was stored and reclaimed; of one that was lost the coordinator hears when it asks.
            guard let file = photo.file, files.byteCount(of: path) != nil else { continue }
            let bytes = try? files.read(path)
            if bytes.map({ $0.count != file.byteCount || Digest.of($0) != file.sha256 }) ?? true {
                damages.append(try quarantine(path, of: id))
            }
        }
        return damages
    }

    private func quarantineAll(of id: UniqueID) throws(SystemError) -> [String] {
        var damages: [String] = []
        for name in files.names(in: folder(id)) { damages.append(try quarantine(folder(id) + "/" + name, of: id)) }
        return damages
    }

    /// Puts a damaged file, or one that belongs to it, aside.
    private func quarantine(_ path: String, of id: UniqueID) throws(SystemError) -> String {
        let folder = root + "/quarantine"
        try folders.make(folder)
        let place = "\(folder)/\(id)-\(path.split(separator: "/").last ?? "")"
        try files.renameDurably(path, to: place)
        return "\(path) is damaged, or belongs to what is; it was put into \(place)"
    }

    private enum Tear {
        /// A crash cut the last line short.
        case atTheEnd
        /// A line cannot be read, and others come after it.
        case inTheMiddle
    }

    /// The events up to the first line that cannot be read.
    private static func events(in bytes: [UInt8]) -> ([CaptureEvent], Tear?) {
        var events: [CaptureEvent] = []
        let lines = bytes.split(separator: 0x0A)
        for line in lines {
            guard let event = try? JSONDecoder().decode(CaptureEvent.self, from: Data(line)) else { break }
            events.append(event)
        }
        if lines.count > events.count + 1 { return (events, .inTheMiddle) }
        return (events, lines.count > events.count || bytes.last != 0x0A ? .atTheEnd : nil)
    }

    private static func line(_ event: CaptureEvent) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(event)) + [0x0A]
        } catch {
            preconditionFailure("an event has a JSON form: \(error)")
        }
    }

    /// Bytes that the spool may still take: what its file system has left, within its limit.
    package func freeBytes() throws(SystemError) -> Int64 {
        let free = try files.freeBytes(at: root)
        guard let byteLimit else { return free }
        return min(free, max(0, byteLimit - heldBytes))
    }

    /// Of photos and events, with what was put aside.
    private var heldBytes: Int64 {
        files.names(in: root).reduce(0) { sum, folder in
            files.names(in: "\(root)/\(folder)").reduce(sum) {
                $0 + Int64(files.byteCount(of: "\(root)/\(folder)/\($1)") ?? 0)
            }
        }
    }

    private func folder(_ uniqueID: UniqueID) -> String { "\(root)/\(uniqueID)" }

    private func journal(_ uniqueID: UniqueID) -> String { folder(uniqueID) + "/events.jsonl" }

    private func path(_ uniqueID: UniqueID, _ photoCount: Int, _ format: PhotoFormat) -> String {
        "\(folder(uniqueID))/\(photoCount).\(format.pathExtension)"
    }
}
