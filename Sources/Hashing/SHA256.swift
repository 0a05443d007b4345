import COpenSSL

/// A SHA-256 digest (FIPS 180-4), computed as bytes arrive.
///
/// By libcrypto, which every Debian has, and which uses the processor's own instructions for it where there are any.
package struct SHA256: Sendable {
    /// The length of a digest in bytes.
    package static let byteCount = 32

    /// Owns libcrypto's context.
    private final class Context {
        private let pointer: OpaquePointer

        init(copying other: Context? = nil) {
            LibCrypto.start()
            guard let pointer = EVP_MD_CTX_new() else { fatalError("no memory for a digest") }
            self.pointer = pointer
            let isReady =
                if let other {
                    withExtendedLifetime(other) { EVP_MD_CTX_copy_ex(pointer, other.pointer) }
                } else {
                    EVP_DigestInit_ex(pointer, EVP_sha256(), nil)
                }
            precondition(isReady == 1, "libcrypto refuses SHA-256")
        }

        deinit { EVP_MD_CTX_free(pointer) }

        func update(_ bytes: UnsafeRawBufferPointer) {
            let isAdded = withExtendedLifetime(self) { EVP_DigestUpdate(pointer, bytes.baseAddress, bytes.count) }
            precondition(isAdded == 1, "libcrypto refuses bytes")
        }

        func finish() -> [UInt8] {
            [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { digest, count in
                let isDone = withExtendedLifetime(self) { EVP_DigestFinal_ex(pointer, digest.baseAddress, nil) }
                precondition(isDone == 1, "libcrypto gives no digest")
                count = SHA256.byteCount
            }
        }
    }

    // Each copy of this value may be in another thread: a context is changed by its only owner alone, and who is not
    // alone takes a copy first.
    private nonisolated(unsafe) var context = Context()

    /// The digest of nothing, to which bytes are added.
    package init() {}

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
        context.update(bytes)
    }

    /// Returns the digest of what was added until now; more may follow.
    package func finish() -> [UInt8] { Context(copying: context).finish() }

    /// Returns the digest of these bytes.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var digest = SHA256()
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return digest.finish()
    }
}
