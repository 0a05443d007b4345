public import CaptureModel
public import PhotoCapture
import Video4Linux

extension CaptureDevice {
    /// The cameras of this board, as ``init(v4l2:pixelFormat:dimensions:profiles:)`` takes them: the paths of the nodes
    /// that deliver frames.
    public static func v4l2Devices() -> [String] { DeviceLocator.captureNodes() }

    /// A camera behind a V4L2 driver.
    ///
    /// It is found by its name each time it starts, so that one that was unplugged and is back goes on.
    ///
    /// - Parameters:
    ///   - device: a path, a by-id or by-path name, a serial number or a bus place.
    ///   - pixelFormat: as V4L2's four characters, `YUYV` for one; nil for what suits photos best.
    ///   - dimensions: the nearest on offer; nil for the largest.
    ///   - profiles: where what is learned of the camera is kept, so that it is learned once.
    /// - Throws: ``CaptureError`` with `deviceNotConnected`, `deviceInUse` or `deviceFailed`, and the refused call.
    public convenience init(
        v4l2 device: String, pixelFormat: String? = nil, dimensions: Dimensions? = nil,
        profiles: any ProfileStore = NoProfileStore()
    ) throws(CaptureError) {
        var configuration = V4L2CameraConfiguration(device: device)
        if let pixelFormat {
            guard let format = PixelFormat(pixelFormat) else {
                throw CaptureError(
                    .unsupportedSettings, "'\(pixelFormat)' is no pixel format; V4L2's have four letters.")
            }
            configuration.pixelFormat = format
        }
        (configuration.width, configuration.height) = (dimensions?.width, dimensions?.height)
        self.init(try V4L2Camera(configuration), profiles: profiles)
    }
}
