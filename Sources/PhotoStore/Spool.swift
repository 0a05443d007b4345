package import CaptureModel
import FoundationEssentials
import Glibc
package import Posix

/// A node's durable store of what the coordinator has not yet acknowledged.
///
/// ```
/// spool/<uniqueID>/events.jsonl    one event a line, appended and synced before it is sent
/// spool/<uniqueID>/3.dng           photo 3, whole or not there
/// spool/quarantine/                what is damaged, or has no event: for a person, never sent
/// spool/reserve                    room for the last events on a full disk
/// spool/epoch                      which coordinator the node obeys
/// spool/version                    of this layout and of the journals
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

    /// Raised when an older program would misread what a newer one has written.
    private static let version = 1
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
    /// - Throws: ``SystemError`` when the folder cannot be written; of the call `flock` when another node has it, and of
    ///   `version` when it is of a later release.
    package init(
        root: String, byteLimit: Int64? = nil, files: any FileSystem = PosixFileSystem()
    ) throws(SystemError) {
        self.root = root
        self.byteLimit = byteLimit
        self.files = files
        folders = try DurableFolders(root: root, files)
        lock = try files.lock(root)
        try Self.checkVersion(root, files)
        // Now: on a full disk a file can be put aside, but no folder be made for it.
        try? files.makeFolders(root + "/quarantine")
        Self.takeReserve(root, files)
    }

    /// One without a number is of the first version, or new.
    private static func checkVersion(_ root: String, _ files: any FileSystem) throws(SystemError) {
        let path = root + "/version"
        let found = try files.byteCount(of: path) == nil ? "" : String(decoding: try files.read(path), as: UTF8.self)
        // A crash may have left an empty file.
        guard let number = Int(found.filter { !$0.isWhitespace }) else {
            // On a full disk it is written at a later start.
            return (try? files.writeDurably(Array("\(version)\n".utf8), to: path)) ?? ()
        }
        // Nothing is touched: a photo that is put aside as unreadable would not be sent any more.
        guard number <= version else { throw SystemError(call: "version", errno: EPROTONOSUPPORT, subject: root) }
    }

    // MARK: Writing

    /// Keeps a photo.
    package func store(
        _ bytes: [UInt8], uniqueID: UniqueID, photoCount: Int, format: PhotoFormat
    ) throws(SystemError) -> (byteCount: Int, sha256: String) {
        let path = path(uniqueID, photoCount, format)
        // Once the reserve is spent, what is left is for events: without them no photo is ever told of.
        if try files.byteCount(of: root + "/reserve") != Self.reserveByteCount,
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
        try withReserve { () throws(SystemError) in try append(line, to: event.uniqueID) }
    }

    /// Writes events, on a full disk with the room that was kept for them.
    private func withReserve(_ write: () throws(SystemError) -> Void) throws(SystemError) {
        do throws(SystemError) {
            try write()
        } catch let error where error.isOutOfSpace {
            try files.remove(root + "/reserve")
            try write()
        }
    }

    private func append(_ line: [UInt8], to id: UniqueID) throws(SystemError) {
        let path = journal(id)
        guard try files.byteCount(of: path) != nil else {
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
        guard (try? files.byteCount(of: path)) != reserveByteCount else { return }
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
        for name in try files.names(in: folder) where name != "events.jsonl" {
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
            guard try files.byteCount(of: path) != nil else { continue }
            return try files.open(path, .read).read(offset: offset, length: length)
        }
        throw SystemError(call: "open", errno: ENOENT, subject: "photo \(photoCount) of \(uniqueID)")
    }

    /// The captures of which something is kept, oldest first.
    package func captures() throws(SystemError) -> [UniqueID] {
        try files.names(in: root).compactMap(Int64.init).sorted().map(UniqueID.init(rawValue:))
    }

    /// All events of a capture that are kept now.
    package func events(of id: UniqueID) throws(SystemError) -> [CaptureEvent] {
        guard try files.byteCount(of: journal(id)) != nil else { return [] }
        let bytes = try files.read(journal(id))
        // A line whose sync failed may not be there after a crash.
        return Self.events(in: Array(bytes.prefix(tainted[id] ?? bytes.count))).events
    }

    /// The epoch of the coordinator that the node obeys; 0 where it has obeyed none.
    package func epoch() throws(SystemError) -> Int64 {
        let path = root + "/epoch"
        guard try files.byteCount(of: path) != nil else { return 0 }
        return Int64(String(decoding: try files.read(path), as: UTF8.self)) ?? 0
    }

    package func keep(epoch: Int64) throws(SystemError) {
        try withReserve { () throws(SystemError) in
            try files.writeDurably(Array("\(epoch)".utf8), to: root + "/epoch")
        }
    }

    /// What a former run of the node left, oldest first. A last line that a crash cut short was never sent.
    ///
    /// Every photo is read and hashed: a damaged one is put into quarantine, so that it is never sent as good. What
    /// cannot be read now stays where it is, and so does a capture whose journal cannot be.
    ///
    /// - Parameter onProgress: called before each file, which may take seconds.
    package func remains(onProgress: @Sendable () -> Void = {}) throws(SystemError) -> [Remains] {
        try captures().map { id throws(SystemError) in try remains(of: id, onProgress) }
            .filter { !$0.events.isEmpty || !$0.damages.isEmpty }
    }

    private func remains(of id: UniqueID, _ onProgress: @Sendable () -> Void) throws(SystemError) -> Remains {
        onProgress()
        let bytes: [UInt8]?
        do throws(SystemError) {
            for name in try files.names(in: folder(id)) where name.hasSuffix(".part") {
                try files.remove(folder(id) + "/" + name)
            }
            bytes = try files.byteCount(of: journal(id)) == nil ? nil : try files.read(journal(id))
        } catch {
            let damage =
                "\(error); what there is of capture \(id) stays where it is, for a start at which it can be read"
            return Remains(uniqueID: id, events: [], damages: [damage])
        }
        let sound = Self.events(in: bytes ?? [])
        var damages = try quarantineUntold(of: id, sound.events)
        if let bytes, sound.tear == .inTheMiddle { damages.append(try quarantineCopy(of: bytes, id)) }
        if let bytes, !sound.events.isEmpty {
            try folders.make(folder(id))
            try keep(bytes.prefix(sound.byteCount), of: id)
            damages += try checkPhotos(of: id, sound.events, onProgress)
        } else {
            try reclaim(id)
        }
        return Remains(uniqueID: id, events: sound.events, damages: damages)
    }

    /// Writes the sound lines of a journal anew: what was read may be in the cache alone, as the former run may have
    /// died before it was synced, or its sync may have failed.
    private func keep(_ lines: ArraySlice<UInt8>, of id: UniqueID) throws(SystemError) {
        do throws(SystemError) {
            try withReserve { () throws(SystemError) in try files.writeDurably(lines, to: journal(id)) }
        } catch let error where error.isOutOfSpace {
            // The room of the reserve is gone too, and only what is sent from here makes any. To cut takes none.
            let file = try files.open(journal(id), .append)
            try file.truncate(to: lines.count)
            try file.sync()
        }
    }

    private func checkPhotos(
        of id: UniqueID, _ events: [CaptureEvent], _ onProgress: @Sendable () -> Void
    ) throws(SystemError) -> [String] {
        var damages: [String] = []
        for photo in events.compactMap(\.photo) {
            onProgress()
            let path = path(id, photo.photoCount, photo.format)
            do throws(SystemError) {
                // One that is not there was stored and reclaimed; of one that was lost the coordinator hears when it asks.
                guard let file = photo.file, try files.byteCount(of: path) != nil else { continue }
                let bytes = try files.unlessLost { () throws(SystemError) in try files.read(path) }
                guard bytes.map({ $0.count != file.byteCount || Digest.of($0) != file.sha256 }) ?? true else {
                    continue
                }
                let place = try quarantined(path, of: id)
                try files.renameDurably(path, to: place)
                damages.append("\(path) is damaged; it was put into \(place)")
            } catch {
                damages.append(
                    "\(path) cannot be read, or is damaged and cannot be put aside; it stays where it is: \(error)")
            }
        }
        return damages
    }

    /// Puts aside photos that no event tells of: a crash came between the two, or the journal lacks its end.
    private func quarantineUntold(of id: UniqueID, _ told: [CaptureEvent]) throws(SystemError) -> [String] {
        let paths = Set(told.compactMap(\.photo).map { path(id, $0.photoCount, $0.format) } + [journal(id)])
        var damages: [String] = []
        for path in try files.names(in: folder(id)).map({ folder(id) + "/" + $0 })
        where !paths.contains(path) {
            let place = try quarantined(path, of: id)
            try files.renameDurably(path, to: place)
            damages.append("no event that can be read mentions \(path); it was put into \(place)")
        }
        return damages
    }

    /// A copy: until the sound part of a journal is written anew, a crash must find it where it was.
    private func quarantineCopy(of journal: [UInt8], _ id: UniqueID) throws(SystemError) -> String {
        let place = try quarantined(self.journal(id), of: id)
        try withReserve { () throws(SystemError) in try files.writeDurably(journal, to: place) }
        return "\(self.journal(id)) is damaged; \(place) is a copy of it"
    }

    /// Where a file is put aside.
    private func quarantined(_ path: String, of id: UniqueID) throws(SystemError) -> String {
        let folder = root + "/quarantine"
        try folders.make(folder)
        return try files.freePath("\(folder)/\(id)-\(path.split(separator: "/").last ?? "")")
    }

    private enum Tear {
        /// A crash cut the last line short.
        case atTheEnd
        /// A line that was whole cannot be read.
        case inTheMiddle
    }

    /// The events up to the first line that cannot be read, and how many bytes their lines have.
    private static func events(in bytes: [UInt8]) -> (events: [CaptureEvent], byteCount: Int, tear: Tear?) {
        var events: [CaptureEvent] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A),
            let event = try? JSONDecoder().decode(CaptureEvent.self, from: Data(rest[..<end]))
        {
            events.append(event)
            rest = rest[(end + 1)...]
        }
        let tear: Tear? = rest.isEmpty ? nil : rest.contains(0x0A) ? .inTheMiddle : .atTheEnd
        return (events, rest.startIndex, tear)
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
        return min(free, max(0, byteLimit - (try heldBytes())))
    }

    /// Of photos and events, with what was put aside.
    private func heldBytes() throws(SystemError) -> Int64 {
        var sum: Int64 = 0
        for folder in try files.names(in: root) where folder == "quarantine" || Int64(folder) != nil {
            for name in try files.names(in: "\(root)/\(folder)") {
                sum += Int64(try files.byteCount(of: "\(root)/\(folder)/\(name)") ?? 0)
            }
        }
        return sum
    }

    private func folder(_ uniqueID: UniqueID) -> String { "\(root)/\(uniqueID)" }

    private func journal(_ uniqueID: UniqueID) -> String { folder(uniqueID) + "/events.jsonl" }

    private func path(_ uniqueID: UniqueID, _ photoCount: Int, _ format: PhotoFormat) -> String {
        "\(folder(uniqueID))/\(photoCount).\(format.pathExtension)"
    }
}
