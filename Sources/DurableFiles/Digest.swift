import Hashing
package import Posix

/// A SHA-256 digest, computed as bytes arrive.
package struct Digest: Sendable {
    private var hasher = SHA256()

    package init() {}

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hasher.update(bytes)
    }

    /// Adds what is in a file from an offset on, and returns how many bytes that is.
    package mutating func update(_ file: any OpenFile, from offset: Int = 0) throws(SystemError) -> Int {
        var end = offset
        while true {
            let bytes = try file.read(offset: end, length: 1 << 20)
            if bytes.isEmpty { return end - offset }
            bytes.withUnsafeBytes { update($0) }
            end += bytes.count
        }
    }

    /// Returns the digest in lower-case hexadecimal.
    package func finish() -> String { Hexadecimal.text(hasher.finish()) }

    /// Returns the digest of these bytes in lower-case hexadecimal.
    package static func of(_ bytes: [UInt8]) -> String {
        var digest = Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
