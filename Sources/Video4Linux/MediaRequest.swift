import CVideo4Linux
import Glibc
package import Posix

/// Control values that belong to one frame. Linux: the Media Request API.
///
/// ```
/// idle --values set, buffer queued with it, queue()--> queued --the frame is filled--> complete --reinit()--> idle
/// ```
package final class MediaRequest: Sendable {
    let descriptor: OwnedFileDescriptor
    private let path: String

    fileprivate init(_ descriptor: consuming OwnedFileDescriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Hands it to the driver, with the buffer that was queued for it.
    package func queue() throws(SystemError) {
        var nothing: CInt = 0
        try ioctl(descriptor.rawValue, cMEDIA_REQUEST_IOC_QUEUE, &nothing, "MEDIA_REQUEST_IOC_QUEUE", path)
    }

    /// Empties it, for another frame.
    package func reinitialize() throws(SystemError) {
        var nothing: CInt = 0
        try ioctl(descriptor.rawValue, cMEDIA_REQUEST_IOC_REINIT, &nothing, "MEDIA_REQUEST_IOC_REINIT", path)
    }
}

/// The controller of a device's parts, which makes requests. C: `/dev/mediaN`.
package final class MediaDevice: Sendable {
    private let path: String
    private let descriptor: OwnedFileDescriptor

    private init(path: String) throws(SystemError) {
        self.path = path
        descriptor = try OwnedFileDescriptor(path: path, flags: O_RDWR)
    }

    /// The controller that a video device belongs to; nil where there is none.
    package static func controller(of device: VideoDevice) -> MediaDevice? {
        for number in 0..<64 {
            guard let media = try? MediaDevice(path: "/dev/media\(number)") else { continue }
            var info = media_device_info()
            guard (try? ioctl(media.descriptor.rawValue, cMEDIA_IOC_DEVICE_INFO, &info, "", media.path)) != nil
            else { continue }
            if text(info.bus_info) == device.capability.busInfo { return media }
        }
        return nil
    }

    /// A new request.
    package func allocateRequest() throws(SystemError) -> MediaRequest {
        var number: CInt = -1
        try ioctl(descriptor.rawValue, cMEDIA_IOC_REQUEST_ALLOC, &number, "MEDIA_IOC_REQUEST_ALLOC", path)
        return MediaRequest(OwnedFileDescriptor(owning: number), path: path)
    }
}
