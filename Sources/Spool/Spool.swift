package import CaptureModel
import DurableFiles
import FoundationEssentials
import Glibc
package import Posix

/// A node's durable store of what the coordinator has not yet acknowledged.
///
/// ```
/// spool/<uniqueID>/events.jsonl    one event per line, appended and synced before it is sent
/// spool/<uniqueID>/3.dng           photo 3, whole or absent
/// spool/quarantine/                what is damaged, or has no event: for a person, never sent
/// spool/reserve                    room for the last events on a full disk
/// spool/epoch                      which coordinator the node obeys
/// spool/version                    the version of this layout and of the journals
/// ```
///
/// A photo is durable before the event that offers it. A folder is removed once the coordinator has stored all of it.
package actor Spool {
    /// What is left of a capture after a restart.
    package struct Remains: Sendable {
        /// The capture.
        package let uniqueID: UniqueID
        /// Its events up to the first that cannot be read, in order.
        package let events: [CaptureEvent]
        /// What was found damaged, one sentence each.
        package let damages: [String]
    }

    /// Raised when an older program would misread what a newer one has written.
    private static let version = 1
    /// Enough for the events of the longest bracket, in bytes.
    private static let reserveByteCount = 1 << 20

    /// Whether nothing was there before.
    package nonisolated let isNew: Bool
    private let root: String
    private let byteLimit: Int64?
    private let files: any FileSystem
    private var folders: DurableFolders
    /// Held for as long as the spool is open: a second node would settle debts that this one is still paying.
    private let lock: any FileLock
    /// Journals whose writing failed, with how many of their bytes are good: after a failed sync, the next sync of the
    /// same file reports success although bytes are lost.
    private var tainted: [UniqueID: Int] = [:]
    private let executor = ThreadExecutor(name: "spool")
    /// A thread of the spool's own, as it waits for the disk.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a spool, making its folder where it is missing.
    ///
    /// - Parameter byteLimit: what it may take of its file system, in bytes; nil for all of it.
    /// - Throws: ``SystemError`` if the folder cannot be written; of the call `flock` if another node has it, and of
    ///   `version` if it is from a later release.
    package init(
        root: String, byteLimit: Int64? = nil, files: any FileSystem = PosixFileSystem()
    ) throws(SystemError) {
        self.root = root
        self.byteLimit = byteLimit
        self.files = files
        folders = try DurableFolders(root: root, files)
        lock = try files.lock(root)
        isNew = try Self.checkVersion(root, files)
        // Made now: on a full disk a file can still be moved aside, but no folder can be made for it.
        try? files.makeFolders(root + "/quarantine")
        Self.takeReserve(root, files)
    }

    /// Checks the version; a spool without a number is of the first version, or new.
    ///
    /// - Returns: whether it is new.
    private static func checkVersion(_ root: String, _ files: any FileSystem) throws(SystemError) -> Bool {
        let path = root + "/version"
        let isThere = try files.byteCount(of: path) != nil
        let found = isThere ? String(decoding: try files.read(path), as: UTF8.self) : ""
        // A crash may have left an empty file.
        guard let number = Int(found.filter { !$0.isWhitespace }) else {
            // On a full disk it is written at a later start.
            try? files.writeDurably(Array("\(version)\n".utf8), to: path)
            let captures = try files.names(in: root).filter { Int64($0) != nil }
            return !isThere && captures.isEmpty
        }
        // Nothing is touched: a photo moved aside as unreadable would never be sent.
        guard number <= version else { throw SystemError(call: "version", errno: EPROTONOSUPPORT, subject: root) }
        return false
    }

    // MARK: Writing

    /// Writes a photo, durably.
    ///
    /// - Throws: ENOSPC, too, if it would take the room that the last events need.
    package func store(
        _ bytes: [UInt8], uniqueID: UniqueID, photoCount: Int, format: PhotoFormat
    ) throws(SystemError) -> (byteCount: Int, sha256: String) {
        let path = path(uniqueID, photoCount, format)
        // Once the reserve is spent, whatever is left is for events: without them no photo is ever reported.
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
    /// An event whose write failed leaves no trace: a retry lands where the event would have been.
    package func append(_ event: CaptureEvent) throws(SystemError) {
        let line = Self.line(event)
        try withReserve { () throws(SystemError) in try append(line, to: event.uniqueID) }
    }

    /// Writes events; on a full disk, into the room that was reserved for them.
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
        // Writes the lines before it and this one to a new file.
        let before = try files.open(path, .read).read(offset: 0, length: tainted[id] ?? 0)
        try files.writeDurably(before + line, to: path)
        tainted[id] = nil
    }

    private static func takeReserve(_ root: String, _ files: any FileSystem) {
        let path = root + "/reserve"
        guard (try? files.byteCount(of: path)) != reserveByteCount else { return }
        // If there is no room even for this, no capture is accepted either.
        try? files.open(path, .create).reserve(reserveByteCount)
    }

    /// Removes a photo that the coordinator has stored.
    package func reclaim(_ uniqueID: UniqueID, photoCount: Int) throws(SystemError) {
        for format in PhotoFormat.allCases { try files.remove(path(uniqueID, photoCount, format)) }
    }

    /// Removes a capture that the coordinator has stored completely.
    package func reclaim(_ uniqueID: UniqueID) throws(SystemError) {
        let folder = folder(uniqueID)
        // The journal last: without it the other files would belong to nobody.
        for name in try files.names(in: folder) where name != "events.jsonl" {
            try files.remove(folder + "/" + name)
        }
        try files.remove(journal(uniqueID))
        try files.removeFolder(folder)
        folders.forget(folder)
        Self.takeReserve(root, files)
    }

    // MARK: Reading

    /// Reads a piece of a photo; shorter than `length` if the photo ends first.
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

    /// The captures that something is kept of, oldest first.
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

    /// The epoch of the coordinator that the node obeys; 0 if it has never obeyed any.
    package func epoch() throws(SystemError) -> Int64 {
        let path = root + "/epoch"
        guard try files.byteCount(of: path) != nil else { return 0 }
        return Int64(String(decoding: try files.read(path), as: UTF8.self)) ?? 0
    }

    /// Writes the epoch of the coordinator that the node obeys from now on; durable when this returns.
    package func keep(epoch: Int64) throws(SystemError) {
        try withReserve { () throws(SystemError) in
            try files.writeDurably(Array("\(epoch)".utf8), to: root + "/epoch")
        }
    }

    /// What a previous run of the node left, oldest first. A last line that a crash cut short was never sent.
    ///
    /// Every photo is read and hashed: a damaged one is moved to quarantine, so that it is never sent as good. What
    /// cannot be read now stays where it is, and so does a capture whose journal cannot be read.
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
                "\(error); what there is of capture \(id) stays where it is until a start at which it can be read"
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

    /// Rewrites the sound lines of a journal: what was read may be only in the cache, if the previous run died before
    /// it was synced, or its sync failed.
    private func keep(_ lines: ArraySlice<UInt8>, of id: UniqueID) throws(SystemError) {
        do throws(SystemError) {
            try withReserve { () throws(SystemError) in try files.writeDurably(lines, to: journal(id)) }
        } catch let error where error.isOutOfSpace {
            // The reserve is gone too, and room comes only from sending what is here. Truncating needs none.
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
                // A missing photo was stored and reclaimed; if one was lost, the coordinator hears of it when it asks.
                guard let file = photo.file, try files.byteCount(of: path) != nil else { continue }
                let bytes = try files.unlessLost { () throws(SystemError) in try files.read(path) }
                guard bytes.map({ $0.count != file.byteCount || Digest.of($0) != file.sha256 }) ?? true else {
                    continue
                }
                let place = try quarantined(path, of: id)
                try files.renameDurably(path, to: place)
                damages.append("\(path) is damaged; it was moved to \(place)")
            } catch {
                damages.append(
                    "\(path) cannot be read, or is damaged and cannot be moved aside; it stays where it is: \(error)")
            }
        }
        return damages
    }

    /// Moves aside photos that no event mentions: a crash came between the two, or the journal lost its end.
    private func quarantineUntold(of id: UniqueID, _ told: [CaptureEvent]) throws(SystemError) -> [String] {
        let paths = Set(told.compactMap(\.photo).map { path(id, $0.photoCount, $0.format) } + [journal(id)])
        var damages: [String] = []
        for path in try files.names(in: folder(id)).map({ folder(id) + "/" + $0 })
        where !paths.contains(path) {
            let place = try quarantined(path, of: id)
            try files.renameDurably(path, to: place)
            damages.append("no readable event mentions \(path); it was moved to \(place)")
        }
        return damages
    }

    /// Copies a damaged journal rather than moving it: until its sound part is rewritten, a crash must find it in
    /// place.
    private func quarantineCopy(of journal: [UInt8], _ id: UniqueID) throws(SystemError) -> String {
        let place = try quarantined(self.journal(id), of: id)
        try withReserve { () throws(SystemError) in try files.writeDurably(journal, to: place) }
        return "\(self.journal(id)) is damaged; a copy of it is in \(place)"
    }

    /// A free path in quarantine for a file.
    private func quarantined(_ path: String, of id: UniqueID) throws(SystemError) -> String {
        let folder = root + "/quarantine"
        try folders.make(folder)
        return try files.freePath("\(folder)/\(id)-\(path.split(separator: "/").last ?? "")")
    }

    private enum Tear {
        /// A crash cut the last line short.
        case atTheEnd
        /// A complete line cannot be read.
        case inTheMiddle
    }

    /// The events up to the first line that cannot be read, and the length of their lines in bytes.
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

    /// Bytes that the spool may still take: what its file system has free, within its limit.
    package func freeBytes() throws(SystemError) -> Int64 {
        let free = try files.freeBytes(at: root)
        guard let byteLimit else { return free }
        return min(free, max(0, byteLimit - (try heldBytes())))
    }

    /// The bytes of photos and events, quarantined ones included.
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
