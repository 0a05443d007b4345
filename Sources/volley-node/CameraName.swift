import CaptureModel
import NodeAgent
import PhotoCapture
import RigConfiguration
import SimulatedCamera
import V4L2Camera
import Video4Linux

/// A camera's name in a configuration.
enum CameraName {
    /// Opens the camera that the settings name; without a name, the only one that is plugged in.
    static func factory(_ settings: Settings) throws -> NodeService.CameraFactory {
        let wanted = "\(SimulatedCameraConfiguration.form) (SEED is a number) or v4l2:DEVICE"
        let simulated = try settings.value("camera", wanted: wanted) { text -> SimulatedCameraConfiguration?? in
            if let configuration = SimulatedCameraConfiguration(name: text) { return .some(configuration) }
            return text.hasPrefix("v4l2:") && text.count > 5 ? .some(nil) : nil
        }
        if var configuration = simulated ?? nil {
            configuration.lens = try lens(settings)
            configuration.orientation = try orientation(settings)
            return { [configuration] in SimulatedCamera(configuration) }
        }
        let device = settings.text("camera").map { String($0.dropFirst(5)) }
        var configuration = V4L2CameraConfiguration(device: device ?? "")
        configuration.pixelFormat = try settings.value("format.pixelFormat", wanted: "a code such as YUYV") {
            PixelFormat($0)
        }
        configuration.width = try settings.integer("format.width", in: 1...65_536)
        configuration.height = try settings.integer("format.height", in: 1...65_536)
        configuration.frameInterval = try settings.integer("format.frameRate", in: 1...1000).map {
            FrameInterval(numerator: 1, denominator: UInt32($0))
        }
        configuration.presentationTime = try settings.value(
            "timing.presentationTime", wanted: "startOfExposure or endOfExposure"
        ) { DeviceStamp.Moment(rawValue: $0) }
        configuration.readoutNanoseconds = try settings.value(
            "timing.readout", wanted: "the time from first line to last, such as 16.6ms, or 0 for a global shutter"
        ) { TimeSpan.nanoseconds($0) }
        let lens = try lens(settings)
        if lens != Lens() { configuration.lens = lens }
        configuration.orientation = try orientation(settings)
        configuration.controls = try settings.integers(of: "controls")
        let complete = configuration
        return { () throws(CaptureError) in
            var configuration = complete
            // At each attempt: one that is plugged in later is found as well.
            if device == nil { configuration.device = try onlyDevice() }
            return try V4L2Camera(configuration)
        }
    }

    private static func orientation(_ settings: Settings) throws -> PictureOrientation {
        let wanted = "how far its pictures are to be turned clockwise, in degrees: 0, 90, 180 or 270"
        return try settings.value("rotationAngle", wanted: wanted) { text in
            Int(text).flatMap(PictureOrientation.init(rotationAngle:))
        } ?? .up
    }

    private static func lens(_ settings: Settings) throws -> Lens {
        func number(_ key: String, _ range: ClosedRange<Double>, _ wanted: String) throws -> Double? {
            try settings.value("lens." + key, wanted: wanted) { text in
                Double(text.hasSuffix("mm") ? String(text.dropLast(2)) : text).flatMap { range.contains($0) ? $0 : nil }
            }
        }
        let model = try settings.value("lens.model", wanted: "the lens's name, of printable ASCII characters") { text in
            (1...100).contains(text.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
        return Lens(
            fNumber: try number("fNumber", 0.5...100, "the f-number, such as 2.8"),
            focalLength: try number("focalLength", 0.1...10_000, "a focal length in millimetres, such as 6mm"),
            focalLengthIn35mmFilm: try number(
                "focalLengthIn35mmFilm", 1...10_000, "a focal length in millimetres, such as 33mm"), model: model)
    }

    private static func onlyDevice() throws(CaptureError) -> String {
        let devices = DeviceLocator.captureNodes()
        guard let device = devices.first, devices.count == 1 else {
            throw CaptureError(
                .deviceNotConnected,
                devices.isEmpty
                    ? "No camera is plugged in; plug one in, or try --camera simulated:1."
                    : "There are \(devices.count) cameras; name one with --camera v4l2:DEVICE. "
                        + "volley-node cameras lists them.")
        }
        return device
    }
}
