package import CaptureModel
import DurableFiles
import FoundationEssentials
import Glibc
package import Posix

/// The coordinator's folder of photos; every photo in it is complete, hashed and durable.
///
/// ```
/// library/catalogue.sqlite
/// library/reserve                                         room for emptying the trash of a full disk
/// library/incoming/<uniqueID>-<photoCount>-<node>.part    on its way; resumed after a restart
/// library/photos/<date>/<uniqueID>/<node>_<uniqueID>_<step>.jpg
/// library/trash/<date>/<uniqueID>/<node>_<uniqueID>_<step>.jpg    deleted, until the trash is emptied
/// ```
package actor Library {
    /// Why a photo did not become a file in the library.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The disk refused.
        case system(SystemError)
        /// The bytes are not the ones that the node hashed.
        case digestMismatch(PhotoID)
        /// They are those, and no picture of the format that its name says.
        case otherFormat(PhotoID, PhotoFormat)

        /// Whether the disk would take no other photo either: it is full, read-only or gone.
        package var stopsAll: Bool {
            let ofDisk = [ENOSPC, EDQUOT, EROFS, EIO, ENXIO, ENODEV, ESTALE, ESHUTDOWN, ENOTCONN]
            return switch self {
            case .system(let error): ofDisk.contains(error.errno)
            case .digestMismatch, .otherFormat: false
            }
        }

        package var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .digestMismatch(let key):
                "photo \(key.photoCount) of \(key.node) is not what \(key.node) took: its SHA-256 differs; restart the "
                    + "node to have it check its spool"
            case .otherFormat(let key, let format):
                "photo \(key.photoCount) of \(key.node) does not begin as a \(format.rawValue.uppercased()) does; look at what "
                    + "runs on \(key.node)"
            }
        }
    }

    private struct Incoming {
        let file: any OpenFile
        var digest: Digest
        var byteCount: Int
    }

    /// The path of the library's folder.
    package nonisolated let root: String
    /// Whether nothing was there before.
    package nonisolated let isNew: Bool
    /// The same folder, for whoever inspects its files.
    package nonisolated var folder: LibraryFolder { LibraryFolder(root: root, files: files) }
    private let files: any FileSystem
    private var folders: DurableFolders
    private var incoming: [PhotoID: Incoming] = [:]
    /// Photos that have arrived completely and only have to become durable; nothing else touches their files.
    private var publishing: [PhotoID: any OpenFile] = [:]
    /// Held for as long as the library is open: two coordinators would discard each other's photos.
    private let lock: any FileLock
    private let publishers: [Publisher]
    private var turn = 0
    private let executor = ThreadExecutor(name: "library")
    /// A thread of the library's own, as it waits for the disk.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a library, making its folders where they are missing.
    ///
    /// - Throws: ``SystemError`` if the folder cannot be written; of the call `flock` if another coordinator has it.
    package init(root: String, files: any FileSystem = PosixFileSystem()) throws(SystemError) {
        self.root = root
        self.files = files
        folders = try DurableFolders(root: root, files)
        lock = try files.lock(root)
        publishers = (0..<4).map { _ in Publisher(files) }
        let traces = [
            try files.byteCount(of: "\(root)/\(RunIdentity.name)"), try files.byteCount(of: root + "/catalogue.sqlite"),
        ]
        isNew = traces == [nil, nil] && !files.isFolder(root + "/photos")
        try folders.make(root + "/incoming")
        // Where only photos are missing they are somewhere else, and an empty folder would be in their way.
        if isNew { try folders.make(root + "/photos") }
        try Self.checkRename(root, files)
    }

    /// Checks that `incoming` and `photos` share a file system, as photos get their names by a rename: better to fail
    /// now than after a capture. Whatever else is wrong shows when there is something to write.
    private static func checkRename(_ root: String, _ files: any FileSystem) throws(SystemError) {
        let (probe, place) = ("\(root)/incoming/.probe", "\(root)/photos/.probe")
        defer { for path in [probe, place] { try? files.remove(path) } }
        guard (try? files.open(probe, .create)) != nil else { return }
        do throws(SystemError) {
            try files.rename(probe, to: place)
        } catch let error where error.errno == EXDEV {
            throw SystemError(
                call: "rename", errno: EXDEV,
                subject: "\(root)/photos must be on the same file system as \(root)/incoming")
        } catch {}
    }

    // MARK: Photos on their way

    /// The photos that a previous run left incomplete, with the number of bytes that are there.
    package func partials() throws(SystemError) -> [PhotoID: Int] {
        var partials: [PhotoID: Int] = [:]
        for name in try files.names(in: root + "/incoming") {
            guard let key = PhotoID(partialName: name) else { continue }
            partials[key] = try? files.byteCount(of: path(key))
        }
        return partials
    }

    /// Appends the next piece of a photo.
    ///
    /// - Parameter offset: where the piece belongs. At 0 the photo starts over; beyond that it resumes where it
    ///   stopped, even in a previous run.
    package func append(_ bytes: [UInt8], to key: PhotoID, at offset: Int) throws(Failure) {
        guard publishing[key] == nil else {
            throw .system(SystemError(call: "append", errno: EBUSY, subject: path(key)))
        }
        do throws(SystemError) {
            var part = try part(key, at: offset)
            bytes.withUnsafeBytes { part.digest.update($0) }
            try part.file.append(bytes)
            part.byteCount += bytes.count
            incoming[key] = part
        } catch {
            discard(key)
            throw .system(error)
        }
    }

    private func part(_ key: PhotoID, at offset: Int) throws(SystemError) -> Incoming {
        if let known = incoming[key], known.byteCount == offset { return known }
        if offset == 0 { return Incoming(file: try files.open(path(key), .create), digest: Digest(), byteCount: 0) }
        var part = Incoming(file: try files.open(path(key), .append), digest: Digest(), byteCount: 0)
        let length = try part.file.byteCount()
        guard length == offset else {
            throw SystemError(call: "append", errno: ESPIPE, subject: "\(path(key)), which has \(length) bytes")
        }
        while part.byteCount < length {
            let bytes = try part.file.read(offset: part.byteCount, length: min(1 << 20, length - part.byteCount))
            guard !bytes.isEmpty else { throw SystemError(call: "pread", errno: EIO, subject: path(key)) }
            bytes.withUnsafeBytes { part.digest.update($0) }
            part.byteCount += bytes.count
        }
        return part
    }

    /// Checks a photo that has arrived; until it is published nothing else touches its file.
    ///
    /// - Parameter format: what its name will say that it is; nil for what is not looked at.
    package func complete(
        _ key: PhotoID, sha256: String, byteCount: Int, format: PhotoFormat? = nil
    ) throws(Failure) {
        let isOther: Bool
        do throws(SystemError) {
            // A previous run may have received all of it.
            let part = try part(key, at: incoming[key]?.byteCount ?? byteCount)
            let isWhole = part.digest.finish() == sha256
            let start = isWhole ? try part.file.read(offset: 0, length: PhotoFormat.signatureByteCount) : []
            isOther = isWhole && format?.fits(start) == false
            if isWhole, !isOther {
                incoming[key] = nil
                publishing[key] = part.file
                return
            }
        } catch {
            discard(key)
            throw .system(error)
        }
        discard(key)
        if isOther, let format { throw .otherFormat(key, format) }
        throw .digestMismatch(key)
    }

    /// Makes a completed photo a file in the library: synced, renamed, its name durable.
    ///
    /// Other photos arrive meanwhile: a sync is mostly waiting.
    ///
    /// - Parameter path: relative to the library.
    package func publish(_ key: PhotoID, as path: String) async throws(Failure) {
        guard let file = publishing[key] else { preconditionFailure("photo \(key) was not completed") }
        turn = (turn + 1) % publishers.count
        let path = root + "/" + path
        do throws(SystemError) {
            try folders.make(files.parent(of: path))
            try await publishers[turn].publish(file, as: path)
            publishing[key] = nil
        } catch {
            publishing[key] = nil
            discard(key)
            throw .system(error)
        }
    }

    /// Waits for the disk, on a thread of its own.
    private actor Publisher {
        private let files: any FileSystem
        private let executor = ThreadExecutor(name: "publisher")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ files: any FileSystem) {
            self.files = files
        }

        func publish(_ file: any OpenFile, as path: String) throws(SystemError) {
            try file.sync()
            try files.renameDurably(file.path, to: path)
        }
    }

    /// Begins a run of the coordinator; a missing folder of photos has been refused by then.
    ///
    /// - Parameters:
    ///   - startedAt: when this run began.
    ///   - formerRun: when the previous run began, according to the catalogue; if the library remembers another one,
    ///     the catalogue was restored or rebuilt.
    ///   - isWhole: whether library and catalogue agree; if not, the next start checks everything again.
    /// - Returns: an epoch greater than all before, and the history that the catalogue continues.
    package func beginRun(
        startedAt: UTCTime, formerRun: UTCTime?, isWhole: Bool = true
    ) throws(SystemError) -> (epoch: Int64, history: Int64) {
        try folders.make(root + "/photos")
        let known = try folder.identity()
        let goesOn = known != nil && known?.run == formerRun
        let identity = RunIdentity(
            epoch: max(startedAt.rawValue, (known?.epoch ?? 0) + 1),
            history: goesOn ? known?.history ?? startedAt.rawValue : startedAt.rawValue,
            run: startedAt, isWhole: isWhole)
        let bytes = (try? JSONEncoder().encode(identity)) ?? Data()
        try files.writeDurably(bytes, to: root + "/" + RunIdentity.name)
        return (identity.epoch, identity.history)
    }

    /// Whether a photo with these bytes is already in the library, as when the catalogue forgot it; makes it durable.
    ///
    /// If it was quarantined meanwhile, because nobody knew its hash, it is put back.
    package func has(_ path: String, byteCount: Int, sha256: String) -> Bool {
        // Its node may have none any more: a disk that fails once is asked again.
        for _ in 0..<3 {
            do throws(SystemError) {
                guard let found = try folder.find(path, byteCount: byteCount, sha256: sha256) else { return false }
                if found != path {
                    try folders.make(files.parent(of: "\(root)/\(path)"))
                    try files.renameDurably("\(root)/\(found)", to: "\(root)/\(path)")
                }
                try folder.makeDurable(path)
                return true
            } catch {
                continue
            }
        }
        return false
    }

    /// Writes a capture's archive beside its photos, durably.
    package func keep(
        _ archive: some Collection<UInt8> & Sendable, of id: UniqueID, createdAt: UTCTime
    ) throws(SystemError) {
        let place = root + "/" + LibraryPath.folder(of: id, createdAt: createdAt)
        do throws(SystemError) {
            try folders.make(place)
            try files.writeDurably(archive, to: "\(place)/\(LibraryFolder.archiveName)")
        } catch {
            // Somebody may have moved the folder away.
            folders.forget(place)
            throw error
        }
    }

    /// Brings a capture's photos to where they belong, durably.
    package func arrange(_ places: [PhotoPlace], of id: UniqueID, createdAt: UTCTime) throws(SystemError) {
        try folder.arrange(try folder.moves(places, of: id, createdAt: createdAt))
    }

    /// Removes the folder of a capture that was not accepted after all.
    package func withdraw(_ id: UniqueID, createdAt: UTCTime) {
        let place = LibraryPath.folder(of: id, createdAt: createdAt)
        try? files.remove("\(root)/\(place)/\(LibraryFolder.archiveName)")
        folder.removeIfEmpty(place)
        folders.forget(root + "/" + place)
    }

    /// Discards a photo that is on its way.
    package func discard(_ key: PhotoID) {
        guard publishing[key] == nil else { return }
        incoming[key] = nil
        try? files.remove(path(key))
    }

    private func path(_ key: PhotoID) -> String {
        "\(root)/incoming/\(key.uniqueID)-\(key.photoCount)-\(key.node).part"
    }

    /// Gives up the room that is kept for emptying the trash of a full disk.
    ///
    /// - Returns: whether there was any.
    package func releaseReserve() -> Bool {
        guard let length = try? files.byteCount(of: root + "/reserve"), length > 0 else { return false }
        do { try files.remove(root + "/reserve") } catch { return false }
        return true
    }

    /// Keeps room again, once there is enough.
    package func keepReserve() {
        guard ((try? files.byteCount(of: root + "/reserve")) ?? nil) != Self.reserveByteCount,
            let free = try? files.freeBytes(at: root), free > 8 * Int64(Self.reserveByteCount)
        else { return }
        try? files.open(root + "/reserve", .create).reserve(Self.reserveByteCount)
    }

    /// What emptying the trash takes of the catalogue and its log, in bytes.
    private static let reserveByteCount = 8 << 20

    /// Bytes free on the library's file system.
    package func freeBytes() throws(SystemError) -> Int64 {
        try files.freeBytes(at: root)
    }

    /// What the last check of its photos found; nil if there was none.
    package func verdict() throws(SystemError) -> LibraryVerdict? { try folder.verdict() }
}

extension PhotoID {
    /// The photo that a file in `incoming` belongs to; nil if it is not part of a photo.
    fileprivate init?(partialName name: String) {
        guard name.hasSuffix(".part") else { return nil }
        // A node's name may contain dashes; it comes last.
        let words = name.dropLast(5).split(separator: "-", maxSplits: 2)
        guard words.count == 3, let id = Int64(words[0]), let photoCount = Int(words[1]), let node = NodeName(words[2])
        else { return nil }
        self.init(uniqueID: UniqueID(rawValue: id), node: node, photoCount: photoCount)
    }
}
