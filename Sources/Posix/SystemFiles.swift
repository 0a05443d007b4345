import Glibc

/// What the kernel tells in `/sys` and `/proc`, and lets be changed there.
package struct SystemFiles: Sendable {
    private let root: String
    private let files = PosixFileSystem()

    /// - Parameter root: the folder that stands for `/`.
    package init(root: String = "") { self.root = root }

    /// The first line of a file; nil for one that cannot be read.
    package func line(_ path: String) -> String? { text(path)?.split(separator: "\n").first.map(String.init) }

    /// A small file; nil for one that cannot be read.
    package func text(_ path: String) -> String? {
        // What stands there has no length before it is read.
        guard let file = fopen(root + path, "re") else { return nil }
        defer { fclose(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while text.count < 1 << 20 {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { break }
            text += buffer.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether this process may change it.
    package func isWritable(_ path: String) -> Bool { access(root + path, W_OK) == 0 }

    /// Changes what stands in a file that is there.
    ///
    /// - Returns: whether that was done.
    @discardableResult
    package func write(_ text: String, to path: String) -> Bool {
        guard let file = try? OwnedFileDescriptor(path: root + path, flags: O_WRONLY | O_TRUNC) else { return false }
        return text.withCString { Glibc.write(file.rawValue, $0, strlen($0)) } == text.utf8.count
    }

    /// Locks a file by flock(2); nil where another program holds it, or it cannot be opened.
    package func lock(_ path: String) -> OwnedFileDescriptor? {
        guard let file = try? OwnedFileDescriptor(path: root + path, flags: O_RDONLY),
            flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
        else { return nil }
        return file
    }

    /// The names in a folder; none if there is no such folder.
    package func names(_ folder: String) -> [String] { (try? files.names(in: root + folder)) ?? [] }
}
