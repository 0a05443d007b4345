import CaptureModel
package import PhotoCapture
package import Video4Linux

/// What is asked of a V4L2 device; what is left out, the camera chooses.
package struct V4L2CameraConfiguration: Sendable {
    /// A path, a by-id or by-path name, a serial number or a bus place.
    package var device: String
    package var pixelFormat: PixelFormat?
    package var width: Int?
    package var height: Int?
    package var frameInterval: FrameInterval?
    /// What the camera's own clock stamps (UVC's PTS); nil where nobody knows, and it is not used.
    package var presentationTime: DeviceStamp.Moment?
    /// From the first line's exposure to the last line's, in nanoseconds: 0 for a global shutter; nil for what the driver
    /// tells.
    package var readoutNanoseconds: Int64?

    package init(device: String) {
        self.device = device
    }

    /// Asks for one of the formats that a camera offers.
    mutating func choose(_ format: CameraFormat, _ frameDuration: Int64?) {
        pixelFormat = PixelFormat(format.pixelFormat)
        (width, height) = (format.dimensions.width, format.dimensions.height)
        let nanoseconds = frameDuration ?? format.frameDurations.first
        frameInterval = nanoseconds.map {
            FrameInterval(numerator: UInt32(clamping: $0 / 100), denominator: 10_000_000)
        }
    }
}
