import CPosix
import Glibc
package import Posix

/// Watches for cameras that are plugged in or unplugged.
///
/// It uses inotify on /dev: the kernel itself makes and removes the nodes there, with or without udev.
package final class DeviceMonitor: Sendable {
    /// What happened to a capture node.
    package enum Event: Hashable, Sendable {
        case connected(path: String)
        case disconnected(path: String)
    }

    /// The cameras that were there at the start as `connected`, then what changes, in order; for one reader.
    package let events: AsyncStream<Event>
    private let wakeUp = WakeUp()

    /// - Throws: ``SystemError`` of `inotify_init1` or `inotify_add_watch`.
    package init() throws(SystemError) {
        let descriptor = inotify_init1(cposix_inotify_flags)
        guard descriptor >= 0 else { throw .last("inotify_init1", "/dev") }
        let watch = Watch(OwnedFileDescriptor(owning: descriptor))
        guard inotify_add_watch(descriptor, "/dev", UInt32(IN_CREATE | IN_DELETE | IN_ATTRIB)) >= 0 else {
            throw .last("inotify_add_watch", "/dev")
        }
        let (stream, continuation) = AsyncStream<Event>.makeStream()
        events = stream
        _ = OSThread(name: "hot-plug") { [wakeUp] in
            watch.run(until: wakeUp, continuation)
            continuation.finish()
        }
    }

    deinit {
        wakeUp.signal()
    }

    /// The watch itself, used by its thread alone.
    private final class Watch: Sendable {
        private let descriptor: OwnedFileDescriptor

        init(_ descriptor: consuming OwnedFileDescriptor) {
            self.descriptor = descriptor
        }

        func run(until wakeUp: WakeUp, _ events: AsyncStream<Event>.Continuation) {
            var known: [String] = []
            while true {
                let now = DeviceLocator.captureNodes()
                for path in known where !now.contains(path) { events.yield(.disconnected(path: path)) }
                for path in now where !known.contains(path) { events.yield(.connected(path: path)) }
                known = now
                guard waitForChange(wakeUp) else { return }
            }
        }

        /// - Returns: false when the monitor is gone.
        private func waitForChange(_ wakeUp: WakeUp) -> Bool {
            while true {
                var items = [
                    pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: wakeUp.fileDescriptor, events: Int16(POLLIN), revents: 0),
                ]
                while poll(&items, 2, -1) < 0 && errno == EINTR {}
                guard items[1].revents == 0 else { return false }
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor.rawValue, &buffer, buffer.count)
                // The names follow the fixed part of each event; other devices come and go as well.
                if count > 0, String(decoding: buffer.prefix(count), as: UTF8.self).contains("video") { return true }
            }
        }
    }
}
