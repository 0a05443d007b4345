import CPosix
package import Glibc

/// The sole owner of a file descriptor, closed when the owner goes.
package struct OwnedFileDescriptor: ~Copyable, Sendable {
    /// The descriptor, valid for as long as this owner lives.
    package let rawValue: CInt

    /// Takes ownership of a descriptor.
    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Opens a path, always close-on-exec.
    package init(path: String, flags: CInt, mode: mode_t = 0o640) throws(SystemError) {
        var descriptor: CInt
        repeat {
            descriptor = open(path, flags | O_CLOEXEC, mode)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw .last("open", path) }
        rawValue = descriptor
    }

    /// The flag with which a file is read from its disk, past what the kernel has in memory; aligned to its blocks.
    package static let direct = cposix_direct

    deinit {
        close(rawValue)
    }
}
