import COpenSSL

/// The library behind this module.
enum LibCrypto {
    /// Has it not clean up at `exit`: other threads hash until the very end.
    private static let isStarted = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// To be called before anything else of it.
    static func start() { precondition(isStarted, "libcrypto does not start") }
}
