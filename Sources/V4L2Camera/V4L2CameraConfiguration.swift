import CaptureModel
package import PhotoCapture
package import Video4Linux

/// What is asked of a V4L2 device; the camera chooses what is left out.
package struct V4L2CameraConfiguration: Sendable {
    /// A path, a by-id or by-path name, a serial number or a bus location.
    package var device: String
    /// Nil for the first that the device offers of those that suit photos.
    package var pixelFormat: PixelFormat?
    /// In pixels; nil for the largest size on offer.
    package var width: Int?
    /// In pixels; nil for the largest size on offer.
    package var height: Int?
    /// Nil for the one that the driver is set to.
    package var frameInterval: FrameInterval?
    /// What the camera's own clock stamps (UVC's PTS); nil where nobody knows: then it is not used.
    package var presentationTime: DeviceStamp.Moment?
    /// From the first line's exposure to the last line's, in nanoseconds: 0 for a global shutter; nil for what the driver
    /// says.
    package var readoutNanoseconds: Int64?
    /// What no driver tells; nil where nobody knows.
    package var lens: Lens?
    /// How it is mounted.
    package var orientation = PictureOrientation.up
    /// Values of controls, which the device gets each time that it is opened; by ``Control/identifier``.
    package var controls: [String: Int64] = [:]

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
