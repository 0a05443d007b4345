package import Glibc

/// The one owner of a file descriptor; it closes with its owner.
package struct OwnedFileDescriptor: ~Copyable, Sendable {
    package let rawValue: CInt

    /// Takes over a descriptor.
    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Opens a path; close-on-exec always.
    package init(path: String, flags: CInt, mode: mode_t = 0o640) throws(SystemError) {
        var descriptor: CInt
        repeat {
            descriptor = open(path, flags | O_CLOEXEC, mode)
        } while descriptor < 0 && errno == EINTR
        guard descriptor >= 0 else { throw .last("open", path) }
        rawValue = descriptor
    }

    deinit {
        close(rawValue)
    }
}
