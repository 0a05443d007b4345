import COpenSSL

/// A SHA-256 digest (FIPS 180-4), computed as bytes arrive.
///
/// By libcrypto, which every Debian has, and which uses the processor's own instructions for it where there are any.
package struct SHA256: Sendable {
    /// The length of a digest in bytes.
    package static let byteCount = 32

    /// Owns libcrypto's context.
    private final class Context {
        let pointer: OpaquePointer

        init(copying other: Context? = nil) {
            guard let pointer = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
            self.pointer = pointer
            let isReady =
                if let other { EVP_MD_CTX_copy_ex(pointer, other.pointer) } else {
                    EVP_DigestInit_ex(pointer, EVP_sha256(), nil)
                }
            precondition(isReady == 1, "libcrypto refuses SHA-256")
        }

        deinit { EVP_MD_CTX_free(pointer) }
    }

    // Each copy of this value may be in another thread: a context is changed by its only owner alone, and who is not
    // alone takes a copy first.
    private nonisolated(unsafe) var context = Context()

    package init() {}

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
        let isAdded = EVP_DigestUpdate(context.pointer, bytes.baseAddress, bytes.count)
        precondition(isAdded == 1, "libcrypto refuses bytes")
    }

    /// Returns the digest of what was added until now; more may follow.
    package func finish() -> [UInt8] {
        let last = Context(copying: context)
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
            let isDone = EVP_DigestFinal_ex(last.pointer, digest.baseAddress, nil)
            precondition(isDone == 1, "libcrypto gives no digest")
            count = Self.byteCount
        }
    }

    /// Returns the digest of these bytes.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var digest = SHA256()
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
