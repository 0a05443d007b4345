package import CaptureModel
import Glibc
package import Posix

/// The coordinator's folder of photos; a photo in it is whole, hashed and durable.
///
/// ```
/// library/catalogue.sqlite
/// library/incoming/<uniqueID>-<node>-<photoCount>.part    on its way
/// library/photos/<date>/<uniqueID>/<node>_<uniqueID>_<step>.jpg
/// ```
package actor Library {
    /// Which photo of which node.
    package struct Key: Hashable, Sendable {
        package let uniqueID: UniqueID
        package let node: String
        package let photoCount: Int

        package init(uniqueID: UniqueID, node: String, photoCount: Int) {
            self.uniqueID = uniqueID
            self.node = node
            self.photoCount = photoCount
        }
    }

    /// Why a photo did not become a file of the library.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        case system(SystemError)
        /// The bytes are not those that the node hashed.
        case digestMismatch(Key)

        package var description: String {
            switch self {
            case .system(let error): "\(error)"
            case .digestMismatch(let key):
                "photo \(key.photoCount) of \(key.node) did not arrive as it was sent: its SHA-256 differs"
            }
        }
    }

    private struct Incoming: ~Copyable {
        let file: OwnedFileDescriptor
        let path: String
        var digest = Digest()
        var byteCount = 0
    }

    package nonisolated let root: String
    private var incoming: [Key: IncomingBox] = [:]
    /// Held for as long as the library is open: two coordinators would throw away each other's photos.
    private let lock: OwnedFileDescriptor
    private let executor = ThreadExecutor(name: "library")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private final class IncomingBox {
        var value: Incoming
        init(_ value: consuming Incoming) { self.value = value }
    }

    /// Opens a library, making its folders where they are missing; what a former run left half-way is thrown away.
    ///
    /// - Throws: ``SystemError`` when the folder cannot be written; of the call `flock` when another coordinator has it.
    package init(root: String) throws(SystemError) {
        self.root = root
        try DurableFile.makeFolder(root + "/incoming")
        try DurableFile.makeFolder(root + "/photos")
        for folder in [root, root + "/incoming", root + "/photos"] where access(folder, W_OK | X_OK) != 0 {
            throw .last("access", folder)
        }
        let lock = try OwnedFileDescriptor(path: root + "/lock", flags: O_RDWR | O_CREAT)
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw .last("flock", root) }
        self.lock = lock
        for name in DurableFile.names(in: root + "/incoming") {
            try DurableFile.remove(root + "/incoming/" + name)
        }
    }

    /// The path of a photo, relative to the library. Pure: the same photo always has the same path.
    ///
    /// - Parameter node: checked by its owner; see ``NodeName``.
    package nonisolated static func path(
        _ key: Key, sequenceCount: Int, format: PhotoFormat, createdAt microseconds: Int64
    ) -> String {
        let step = sequenceCount < 10 ? "0\(sequenceCount)" : "\(sequenceCount)"
        let day = Day(microsecondsSinceEpoch: microseconds)
        return "photos/\(day)/\(key.uniqueID)/\(key.node)_\(key.uniqueID)_\(step).\(format.pathExtension)"
    }

    /// Takes the next piece of a photo; the first one opens its file.
    package func append(_ bytes: [UInt8], to key: Key) throws(Failure) {
        do throws(SystemError) {
            let box = if let known = incoming[key] { known } else { try open(key) }
            bytes.withUnsafeBytes { box.value.digest.update($0) }
            box.value.byteCount += bytes.count
            try DurableFile.append(bytes, to: box.value.file, path: box.value.path)
        } catch {
            discard(key)
            throw .system(error)
        }
    }

    private func open(_ key: Key) throws(SystemError) -> IncomingBox {
        let path = "\(root)/incoming/\(key.uniqueID)-\(key.node)-\(key.photoCount).part"
        let file = try OwnedFileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC)
        let box = IncomingBox(Incoming(file: file, path: path))
        incoming[key] = box
        return box
    }

    /// Makes the photo a file of the library: hash checked, synced, renamed, its name durable.
    package func finish(_ key: Key, sha256: String, path relative: String) throws(Failure) {
        guard let box = incoming[key] else {
            throw .system(SystemError(call: "open", errno: ENOENT, subject: "photo \(key.photoCount) of \(key.node)"))
        }
        defer { discard(key) }
        guard box.value.digest.finish() == sha256 else { throw .digestMismatch(key) }
        do throws(SystemError) {
            try DurableFile.sync(box.value.file, path: box.value.path)
            let path = root + "/" + relative
            if let slash = path.lastIndex(of: "/") { try DurableFile.makeFolder(String(path[..<slash])) }
            try DurableFile.rename(box.value.path, to: path)
        } catch {
            throw .system(error)
        }
    }

    /// Gives up a photo that is on its way.
    package func discard(_ key: Key) {
        guard let box = incoming.removeValue(forKey: key) else { return }
        unlink(box.value.path)
    }

    /// Bytes left on the library's file system.
    package func freeBytes() throws(SystemError) -> Int64 {
        try DurableFile.freeBytes(at: root)
    }
}
