import CPosix
import Glibc

/// Wakes a thread that waits in `poll`: an eventfd.
package final class WakeUp: Sendable {
    /// Readable after ``signal()`` until ``clear()``.
    package let fileDescriptor: CInt

    package init() {
        fileDescriptor = eventfd(0, cposix_efd_flags)
        precondition(fileDescriptor >= 0, "eventfd: \(String(cString: strerror(errno)))")
    }

    deinit {
        close(fileDescriptor)
    }

    /// Makes the descriptor readable; from any thread, any number of times.
    package func signal() {
        var one: UInt64 = 1
        _ = write(fileDescriptor, &one, 8)
    }

    /// Takes the signal back: the descriptor is no longer readable.
    package func clear() {
        var count: UInt64 = 0
        _ = read(fileDescriptor, &count, 8)
    }

    /// Waits for a signal, and clears it.
    package func wait() {
        var item = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        while poll(&item, 1, -1) < 0 && errno == EINTR {}
        clear()
    }
}
