public import CaptureModel
public import PhotoCapture
import Video4Linux

extension CaptureDevice {
    /// The cameras of this board, as ``init(v4l2:pixelFormat:dimensions:profiles:)`` takes them: the paths of the nodes
    /// that deliver frames.
    public static func v4l2Devices() -> [String] { DeviceLocator.captureNodes() }

    /// A camera behind a V4L2 driver.
    ///
    /// It is found by its name each time it starts, so that one that was unplugged and is back resumes.
    ///
    /// - Parameters:
    ///   - device: a path, a by-id or by-path name, a serial number or a bus location.
    ///   - pixelFormat: V4L2's four characters, such as `YUYV`; nil for what suits photos best.
    ///   - dimensions: the nearest size on offer is used; nil for the largest.
    ///   - profiles: where what is learned about the camera is kept, so that it is learned once.
    /// - Throws: ``CaptureError`` with `deviceNotConnected`, `deviceInUse` or `deviceFailed`, and the refused call.
    public convenience init(
        v4l2 device: String, pixelFormat: String? = nil, dimensions: Dimensions? = nil,
        profiles: any ProfileStore = NoProfileStore()
    ) throws(CaptureError) {
        var configuration = V4L2CameraConfiguration(device: device)
        if let pixelFormat {
            guard let format = PixelFormat(pixelFormat) else {
                throw CaptureError(
                    .unsupportedSettings, "'\(pixelFormat)' is not a pixel format; name V4L2's code, such as YUYV.")
            }
            configuration.pixelFormat = format
        }
        (configuration.width, configuration.height) = (dimensions?.width, dimensions?.height)
        self.init(try V4L2Camera(configuration), profiles: profiles)
    }
}
