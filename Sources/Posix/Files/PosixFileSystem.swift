import CPosix
import Glibc

/// The machine's own file systems.
package struct PosixFileSystem: FileSystem {
    package init() {}

    /// Opens a file, close-on-exec. A file that is created is always a new inode, given to its folder's owner if root
    /// makes it.
    package func open(_ path: String, _ mode: FileMode) throws(SystemError) -> any OpenFile {
        let flags =
            switch mode {
            case .create: O_RDWR | O_CREAT | O_EXCL
            // Nobody's link leads what is appended to another file.
            case .append: O_RDWR | O_APPEND | O_NOFOLLOW
            case .read: O_RDONLY
            }
        // Always a new file: the folder's owner must not decide, by planting a link, which file a repair as root
        // empties.
        if mode == .create { try remove(path) }
        let file = try OwnedFileDescriptor(path: path, flags: flags)
        if mode == .create { Self.give(file, toOwnerOf: parent(of: path)) }
        return PosixFile(file, path: path)
    }

    /// Gives what root has made to the folder's owner.
    ///
    /// SQLite does the same with its log: a repair as root must not lock out the coordinator that owns the library.
    /// Only what belongs to root and has no other name is given away, not what somebody planted there for root to open.
    fileprivate static func give(_ file: borrowing OwnedFileDescriptor, toOwnerOf folder: String) {
        var (made, owner) = (stat(), stat())
        guard geteuid() == 0, fstat(file.rawValue, &made) == 0, made.st_uid == 0,
            made.st_mode & S_IFMT == S_IFDIR || made.st_nlink == 1,
            stat(folder, &owner) == 0, owner.st_uid != 0
        else { return }
        _ = fchown(file.rawValue, owner.st_uid, owner.st_gid)
    }

    /// The size of a regular file; nil if there is none, or if the path is something else.
    package func byteCount(of path: String) throws(SystemError) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .last("stat", path)
        }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }

    /// Whether there is a folder at a path; false, too, if the path cannot be examined.
    package func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Makes one folder with mode 0750, given to its parent's owner if root makes it.
    package func makeFolder(_ path: String) throws(SystemError) {
        guard mkdir(path, 0o750) == 0 else {
            if errno == EEXIST { return }
            throw .last("mkdir", path)
        }
        let folder = try OwnedFileDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        Self.give(folder, toOwnerOf: parent(of: path))
    }

    /// Makes the names in a folder durable, by fsync(2) on the folder.
    package func syncFolder(_ path: String) throws(SystemError) {
        let descriptor = try OwnedFileDescriptor(path: path, flags: O_RDONLY | O_DIRECTORY)
        if fsync(descriptor.rawValue) != 0 { throw .last("fsync", path) }
    }

    /// Makes everything durable that is written on the file system of a folder: of many files cheaper than one by one.
    package func syncAll(at folder: String) throws(SystemError) {
        let descriptor = try OwnedFileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY)
        if syncfs(descriptor.rawValue) != 0 { throw .last("syncfs", folder) }
    }

    /// The names in a folder, sorted, without `.` and `..`; empty if there is no such folder.
    package func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw .last("opendir", folder)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            // Only errno tells the end from an error.
            errno = 0
            guard let entry = readdir(directory) else { break }
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        if errno != 0 { throw .last("readdir", folder) }
        return names.sorted()
    }

    /// Renames within one file system, replacing any file of the new name; throws EXDEV across two.
    package func rename(_ source: String, to path: String) throws(SystemError) {
        if Glibc.rename(source, path) != 0 { throw .last("rename", path) }
    }

    /// Renames within one file system, unless there is a file of the new name.
    ///
    /// Where the file system can neither link nor rename so, as many that FUSE mounts, it looks first: who holds the
    /// folder's lock is alone there.
    ///
    /// - Returns: whether it did.
    package func renameUnlessTaken(_ source: String, to path: String) throws(SystemError) -> Bool {
        if link(source, path) == 0 {
            try remove(source)
            return true
        }
        // A card's file system has no links, a network's no such renaming.
        if errno != EEXIST, renameat2(AT_FDCWD, source, AT_FDCWD, path, cposix_rename_noreplace) == 0 { return true }
        let refusal = SystemError.last("rename", path)
        if refusal.errno == EEXIST { return false }
        guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(refusal.errno) else { throw refusal }
        var status = stat()
        guard lstat(path, &status) != 0 else { return false }
        guard errno == ENOENT else { throw .last("lstat", path) }
        try rename(source, to: path)
        return true
    }

    /// Removes a file if it exists.
    package func remove(_ path: String) throws(SystemError) {
        if unlink(path) != 0 && errno != ENOENT { throw .last("unlink", path) }
    }

    /// Removes an empty folder if it exists; throws ENOTEMPTY for one that is not empty.
    package func removeFolder(_ path: String) throws(SystemError) {
        if rmdir(path) != 0 && errno != ENOENT { throw .last("rmdir", path) }
    }

    /// Bytes that an ordinary user may still write on the path's file system.
    package func freeBytes(at path: String) throws(SystemError) -> Int64 {
        var status = statvfs()
        if statvfs(path, &status) != 0 { throw .last("statvfs", path) }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }

    /// Locks a folder by flock(2) on a file `lock` in it, made if it is missing.
    package func lock(_ path: String) throws(SystemError) -> any FileLock {
        guard access(path, W_OK | X_OK) == 0 else { throw .last("access", path) }
        return try PosixLock(folder: path, LOCK_EX | LOCK_NB)
    }

    /// Locks a folder like ``lock(_:)``, as soon as nobody else has it.
    package func waitForLock(_ path: String) throws(SystemError) -> any FileLock {
        try PosixLock(folder: path, LOCK_EX)
    }
}

/// The descriptor is the lock.
private final class PosixLock: FileLock {
    private let file: OwnedFileDescriptor

    init(folder: String, _ operation: CInt) throws(SystemError) {
        file = try OwnedFileDescriptor(path: folder + "/lock", flags: O_RDWR | O_CREAT | O_NOFOLLOW)
        PosixFileSystem.give(file, toOwnerOf: folder)
        guard flock(file.rawValue, operation) == 0 else { throw .last("flock", folder) }
    }
}

private final class PosixFile: OpenFile {
    private let file: OwnedFileDescriptor
    let path: String

    init(_ file: consuming OwnedFileDescriptor, path: String) {
        self.file = file
        self.path = path
    }

    func byteCount() throws(SystemError) -> Int {
        var status = stat()
        if fstat(file.rawValue, &status) != 0 { throw .last("fstat", path) }
        return Int(status.st_size)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = write(file.rawValue, bytes.baseAddress! + written, bytes.count - written)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { throw .last("write", path) }
            written += count
        }
    }

    func sync() throws(SystemError) {
        if fdatasync(file.rawValue) != 0 { throw .last("fdatasync", path) }
    }

    func truncate(to byteCount: Int) throws(SystemError) {
        if ftruncate(file.rawValue, off_t(byteCount)) != 0 { throw .last("ftruncate", path) }
    }

    func reserve(_ byteCount: Int) throws(SystemError) {
        let code = posix_fallocate(file.rawValue, 0, off_t(byteCount))
        if code != 0 { throw SystemError(call: "fallocate", errno: code, subject: path) }
    }

    func read(offset: Int, length: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let got = pread(file.rawValue, buffer.baseAddress! + count, length - count, off_t(offset + count))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = .last("pread", path) }
                if got <= 0 { return }
                count += got
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
