/// What the stores ask of a file system.
///
/// A simulated one loses what was not synced, fills up and fails: see `SimulatedFileSystem`. Nothing is durable
/// before it is synced: a file's bytes by ``OpenFile/sync()``, a name by ``syncFolder(_:)``.
package protocol FileSystem: Sendable {
    func open(_ path: String, _ mode: FileMode) throws(SystemError) -> any OpenFile

    /// Nil where there is no file; what cannot be looked at may be there.
    func byteCount(of path: String) throws(SystemError) -> Int?

    func isFolder(_ path: String) -> Bool

    /// Makes one folder; one that is there is left as it is.
    func makeFolder(_ path: String) throws(SystemError)

    /// Makes the names in a folder durable.
    func syncFolder(_ path: String) throws(SystemError)

    /// In order; empty where there is no such folder.
    func names(in folder: String) throws(SystemError) -> [String]

    /// Replaces a file of the new name.
    func rename(_ source: String, to path: String) throws(SystemError)

    /// Removes a file, if it is there.
    func remove(_ path: String) throws(SystemError)

    /// Removes an empty folder, if it is there.
    func removeFolder(_ path: String) throws(SystemError)

    /// Bytes that an ordinary user may still write.
    func freeBytes(at path: String) throws(SystemError) -> Int64

    /// Keeps others from a folder for as long as the lock lives.
    ///
    /// - Throws: of the call `flock` when another program has it.
    func lock(_ path: String) throws(SystemError) -> any FileLock
}

/// How a file is opened.
package enum FileMode: Hashable, Sendable {
    /// Made, or emptied.
    case create
    /// Added to; it must be there.
    case append
    case read
}

/// An open file; it closes with its last owner.
package protocol OpenFile: AnyObject, Sendable {
    var path: String { get }

    func byteCount() throws(SystemError) -> Int

    /// Adds bytes at the end: all of them, or it throws.
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError)

    /// Makes the bytes durable. A failure means that they are lost; never repeat it on the same file.
    func sync() throws(SystemError)

    func truncate(to byteCount: Int) throws(SystemError)

    /// Reserves room for this many bytes, so that they can be written on a full disk.
    func reserve(_ byteCount: Int) throws(SystemError)

    /// A piece; shorter where the file ends.
    func read(offset: Int, length: Int) throws(SystemError) -> [UInt8]
}

/// Held for as long as it lives.
package protocol FileLock: AnyObject, Sendable {}

extension OpenFile {
    package func append(_ bytes: some Collection<UInt8>) throws(SystemError) {
        let failure = bytes.withContiguous { buffer -> SystemError? in
            do throws(SystemError) {
                try append(UnsafeRawBufferPointer(buffer))
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }
}

extension Collection<UInt8> {
    fileprivate func withContiguous<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
    }
}
