import CVideo4Linux
import Glibc
package import Posix

/// libv4lconvert, for the pixel formats that are not encoded directly.
package struct FormatConverter: ~Copyable {
    private let handle: OpaquePointer
    private let device: VideoDevice?

    /// A converter for frames of a device; without one, for frames from elsewhere.
    package init(device: VideoDevice?) throws(SystemError) {
        let created = device.map { v4lconvert_create($0.descriptor.rawValue) } ?? cv4l2_convert_create_without_device()
        guard let handle = created else {
            throw .last("v4lconvert_create", device?.path ?? "libv4lconvert")
        }
        self.handle = handle
        self.device = device
    }

    deinit {
        v4lconvert_destroy(handle)
    }

    /// The picture as planar 4:2:0.
    ///
    /// - Throws: ``SystemError`` with EPIPE or EIO for a frame that is too short or broken, EINVAL for a format that
    ///   libv4lconvert does not know.
    package func yuv420(from bytes: UnsafeRawBufferPointer, format: ActiveFormat) throws(SystemError) -> [UInt8] {
        var destination = format
        destination.pixelFormat = .yuv420
        destination.bytesPerLine = format.width
        destination.imageSize = format.width * format.height * 3 / 2
        var source = format.raw
        var target = destination.raw
        var output = [UInt8](repeating: 0, count: destination.imageSize)
        // It only reads its source, though it does not say const.
        let input = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        let count = v4lconvert_convert(
            handle, &source, &target, input, Int32(bytes.count), &output, Int32(output.count))
        guard count == output.count else {
            throw SystemError(
                call: "v4lconvert_convert", errno: count < 0 ? errno : EIO,
                subject: "\(device?.path ?? "a frame"), \(format.pixelFormat)")
        }
        return output
    }
}
