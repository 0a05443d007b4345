import CVideo4Linux
import Glibc
package import Posix

/// An open V4L2 device node. The kernel serialises its calls, so it may be used from several threads.
package final class VideoDevice: Sendable {
    /// The node that was opened.
    package let path: String
    /// What the node said it is when it was opened.
    package let capability: Capability
    let descriptor: OwnedFileDescriptor

    /// Opens a node, without taking it: the kernel gives a device to whoever sets up buffers first.
    ///
    /// - Throws: ``SystemError`` with the refused call: `open` (ENOENT, EACCES, EBUSY), `VIDIOC_QUERYCAP` (ENOTTY
    ///   for what is not a video device).
    package init(path: String) throws(SystemError) {
        let descriptor = try OwnedFileDescriptor(path: path, flags: O_RDWR | O_NONBLOCK)
        var raw = v4l2_capability()
        try ioctl(descriptor.rawValue, cVIDIOC_QUERYCAP, &raw, "VIDIOC_QUERYCAP", path)
        self.path = path
        self.descriptor = descriptor
        capability = Capability(raw)
    }

    /// What a wait has ended with.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        /// A filled buffer can be dequeued.
        package static let frame = Readiness(rawValue: 1)
        /// A control event can be dequeued.
        package static let controlEvent = Readiness(rawValue: 2)
        /// The device failed or is gone, or does not stream.
        package static let error = Readiness(rawValue: 4)
        /// Somebody signalled the ``WakeUp`` of the wait.
        package static let wokenUp = Readiness(rawValue: 8)
    }

    /// Waits for the device or for a wake-up; empty after the time-out.
    package func wait(milliseconds: CInt, wakeUp: WakeUp?) throws(SystemError) -> Readiness {
        // poll ignores a negative descriptor.
        var items = [
            pollfd(fd: descriptor.rawValue, events: Int16(POLLIN | POLLPRI), revents: 0),
            pollfd(fd: wakeUp?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&items, 2, milliseconds) < 0 {
            if errno != EINTR { throw .last("poll", path) }
        }
        var ready = Readiness()
        if items[0].revents & Int16(POLLIN) != 0 { ready.insert(.frame) }
        if items[0].revents & Int16(POLLPRI) != 0 { ready.insert(.controlEvent) }
        if items[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { ready.insert(.error) }
        if items[1].revents != 0 {
            wakeUp?.clear()
            ready.insert(.wokenUp)
        }
        return ready
    }

    func call<Argument>(_ request: UInt, _ argument: inout Argument, _ name: String) throws(SystemError) {
        try ioctl(descriptor.rawValue, request, &argument, name, path)
    }

    /// Repeats an enumerating call with index 0, 1, 2... until the kernel says EINVAL: the end.
    func enumerate<Argument, Element>(
        _ request: UInt, _ name: String, _ make: (UInt32) -> Argument, _ take: (Argument) -> Element
    ) throws(SystemError) -> [Element] {
        var elements: [Element] = []
        while true {
            var argument = make(UInt32(elements.count))
            do {
                try call(request, &argument, name)
            } catch  where error.errno == EINVAL || error.errno == ENOTTY {
                return elements
            }
            elements.append(take(argument))
        }
    }
}

/// The one way into the driver: repeats what a signal interrupted, and keeps the call's name with its errno.
func ioctl<Argument>(
    _ descriptor: CInt, _ request: UInt, _ argument: inout Argument, _ name: String, _ subject: String
) throws(SystemError) {
    let result = withUnsafeMutableBytes(of: &argument) { bytes in
        var result: CInt
        repeat {
            result = cv4l2_ioctl(descriptor, request, bytes.baseAddress)
        } while result < 0 && errno == EINTR
        return result
    }
    if result < 0 { throw .last(name, subject) }
}

/// The text in a fixed C array, up to its first zero byte.
func text<Tuple>(_ tuple: Tuple) -> String {
    withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
