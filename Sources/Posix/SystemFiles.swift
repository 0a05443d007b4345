import Glibc

/// What the kernel tells in `/sys` and `/proc`.
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

    /// The names in a folder; none if there is no such folder.
    package func names(_ folder: String) -> [String] { (try? files.names(in: root + folder)) ?? [] }
}
