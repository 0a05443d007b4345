package import Video4Linux

/// What is asked of a V4L2 device; what is left out, the camera chooses.
package struct V4L2CameraConfiguration: Sendable {
    /// A path, a by-id or by-path name, a serial number or a bus place.
    package var device: String
    package var pixelFormat: PixelFormat?
    package var width: Int?
    package var height: Int?
    /// Frames per second.
    package var frameRate: Int?

    package init(device: String) {
        self.device = device
    }
}
