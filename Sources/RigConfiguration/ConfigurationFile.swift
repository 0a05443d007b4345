import Glibc

/// Reads a file whose text is a configuration or a plan.
package enum ConfigurationFile {
    /// More than any configuration needs, in bytes.
    private static let limit = 1 << 20

    /// The text of a file, with the file's name for errors.
    package static func read(_ path: String) throws(ConfigurationError) -> (text: String, name: String) {
        let name = path == "/dev/stdin" ? "standard input" : path
        guard let file = fopen(path, "re") else {
            throw ConfigurationError(place: path, message: "cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = fread(&bytes, 1, limit, file)
        guard ferror(file) == 0, count < limit else {
            throw ConfigurationError(place: name, message: "is no configuration file: a folder, or larger than 1 MiB")
        }
        // A picture, say; what stands in comments may be of any encoding.
        guard !bytes.prefix(count).contains(0) else {
            throw ConfigurationError(place: name, message: "cannot be read: it is no text")
        }
        return (String(decoding: bytes.prefix(count), as: UTF8.self), name)
    }
}
