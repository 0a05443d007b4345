import Glibc
package import Posix

/// Files that are whole or not there, also after a power cut.
package enum DurableFile {
    /// Writes a file: aside, synced, renamed, and the folder synced. Replaces a file of that name.
    package static func write(_ bytes: some Collection<UInt8>, to path: String) throws(SystemError) {
        let temporary = path + ".part"
        let file = try OwnedFileDescriptor(path: temporary, flags: O_WRONLY | O_CREAT | O_TRUNC)
        do throws(SystemError) {
            try append(bytes, to: file, path: temporary)
            try sync(file, path: temporary)
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Adds bytes at the end of an open file.
    package static func append(
        _ bytes: some Collection<UInt8>, to file: borrowing OwnedFileDescriptor, path: String
    ) throws(SystemError) {
        let descriptor = file.rawValue
        let failure = withContiguous(bytes) { buffer -> SystemError? in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress! + written, buffer.count - written)
                if count < 0 && errno == EINTR { continue }
                if count <= 0 { return .last("write", path) }
                written += count
            }
            return nil
        }
        if let failure { throw failure }
    }

    private static func withContiguous<Result>(
        _ bytes: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        bytes.withContiguousStorageIfAvailable(body) ?? Array(bytes).withUnsafeBufferPointer(body)
    }

    /// Makes a file's bytes durable. A failure means that they are lost; never repeat it on the same file.
    package static func sync(_ file: borrowing OwnedFileDescriptor, path: String) throws(SystemError) {
        if fdatasync(file.rawValue) != 0 { throw .last("fdatasync", path) }
    }

    /// Renames within one file system and makes the new name durable.
    package static func rename(_ source: String, to path: String) throws(SystemError) {
        if Glibc.rename(source, path) != 0 { throw .last("rename", path) }
        try syncFolder(of: path)
    }

    /// Makes a folder and the missing ones above it, each durable in its parent.
    package static func makeFolder(_ path: String) throws(SystemError) {
        if isFolder(path) { return }
        if let parent = parent(of: path), !isFolder(parent) { try makeFolder(parent) }
        if mkdir(path, 0o750) != 0 && errno != EEXIST { throw .last("mkdir", path) }
        try syncFolder(of: path)
    }

    /// Removes a file, if it is there.
    package static func remove(_ path: String) throws(SystemError) {
        if unlink(path) != 0 && errno != ENOENT { throw .last("unlink", path) }
    }

    /// The names in a folder; empty where there is none.
    package static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The whole file.
    package static func read(_ path: String) throws(SystemError) -> [UInt8] {
        let file = try OwnedFileDescriptor(path: path, flags: O_RDONLY)
        var status = stat()
        if fstat(file.rawValue, &status) != 0 { throw .last("fstat", path) }
        return try read(file, path: path, offset: 0, length: Int(status.st_size))
    }

    /// A piece of an open file; shorter where the file ends.
    package static func read(
        _ file: borrowing OwnedFileDescriptor, path: String, offset: Int, length: Int
    ) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let descriptor = file.rawValue
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let got = pread(descriptor, buffer.baseAddress! + count, length - count, off_t(offset + count))
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = .last("pread", path) }
                if got <= 0 { return }
                count += got
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Bytes that an ordinary user may still write to the file system of a path.
    package static func freeBytes(at path: String) throws(SystemError) -> Int64 {
        var status = statvfs()
        if statvfs(path, &status) != 0 { throw .last("statvfs", path) }
        return Int64(status.f_bavail) * Int64(status.f_frsize)
    }

    /// Makes the names in the folder of a path durable.
    private static func syncFolder(of path: String) throws(SystemError) {
        let folder = parent(of: path) ?? "."
        let descriptor = try OwnedFileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY)
        if fsync(descriptor.rawValue) != 0 { throw .last("fsync", folder) }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
