import COpenSSL

/// Message authentication codes by SHA-256 (RFC 2104): without the key nobody can make one, or check it.
package enum HMACSHA256 {
    /// The code of a message, 32 bytes.
    package static func code(for message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
        LibCrypto.start()
        let (message, key) = (Array(message), Array(key))
        return [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
            let made = HMAC(
                EVP_sha256(), key, Int32(key.count), message, message.count, code.baseAddress, nil)
            precondition(made != nil, "libcrypto gives no code")
            count = SHA256.byteCount
        }
    }

    /// Whether a code is this message's; takes the same time for every wrong code of the right length.
    package static func isCode(
        _ code: [UInt8], for message: some Sequence<UInt8>, key: some Sequence<UInt8>
    ) -> Bool {
        let right = Self.code(for: message, key: key)
        return code.count == right.count && CRYPTO_memcmp(code, right, right.count) == 0
    }
}
