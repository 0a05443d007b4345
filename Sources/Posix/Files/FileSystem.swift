/// What the stores need from a file system.
///
/// A simulated one loses what was not synced, fills up and fails: see `SimulatedFileSystem`. Nothing is durable
/// until it is synced: a file's bytes by ``OpenFile/sync()``, a name by ``syncFolder(_:)``.
package protocol FileSystem: Sendable {
    /// Opens a file.
    func open(_ path: String, _ mode: FileMode) throws(SystemError) -> any OpenFile

    /// The size of a file; nil if there is none. Throws if the path cannot be examined: there may be a file.
    func byteCount(of path: String) throws(SystemError) -> Int?

    /// Whether there is a folder at a path.
    func isFolder(_ path: String) -> Bool

    /// Makes one folder; an existing one is left as it is.
    func makeFolder(_ path: String) throws(SystemError)

    /// Makes the names in a folder durable.
    func syncFolder(_ path: String) throws(SystemError)

    /// The names in a folder, sorted; empty if there is no such folder.
    func names(in folder: String) throws(SystemError) -> [String]

    /// Renames a file, replacing any file of the new name.
    func rename(_ source: String, to path: String) throws(SystemError)

    /// Removes a file if it exists.
    func remove(_ path: String) throws(SystemError)

    /// Removes an empty folder if it exists.
    func removeFolder(_ path: String) throws(SystemError)

    /// Bytes that an ordinary user may still write.
    func freeBytes(at path: String) throws(SystemError) -> Int64

    /// Keeps other programs out of a folder for as long as the lock lives.
    ///
    /// - Throws: ``SystemError`` of the call `flock` if another program holds it.
    func lock(_ path: String) throws(SystemError) -> any FileLock
}

/// How a file is opened.
package enum FileMode: Hashable, Sendable {
    /// Creates the file, replacing one that exists.
    case create
    /// Opens an existing file for appending.
    case append
    /// Opens an existing file for reading.
    case read
}

/// A lock on a folder, held for as long as it lives.
package protocol FileLock: AnyObject, Sendable {}
