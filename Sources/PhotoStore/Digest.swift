import Crypto

/// SHA-256, taken as bytes come.
package struct Digest: Sendable {
    private var hasher = SHA256()

    package init() {}

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        hasher.update(bufferPointer: bytes)
    }

    /// Lower-case hexadecimal.
    package consuming func finish() -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = hasher.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The digest of bytes that are all there.
    package static func of(_ bytes: [UInt8]) -> String {
        var digest = Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
