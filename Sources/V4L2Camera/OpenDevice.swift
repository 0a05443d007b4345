import CaptureModel
import Glibc
import PhotoCapture
import Posix
import Video4Linux

/// A device that was opened and given its format.
struct OpenDevice: Sendable {
    let device: VideoDevice
    let format: ActiveFormat
    let controls: ControlMap
    let description: Description
    /// Whether frames get their exposure through the Media Request API.
    let usesRequests: Bool

    /// What is known about a device, even when it is gone.
    struct Description: Sendable {
        let capabilities: CameraCapabilities
        let formats: [CameraFormat]
        let frameByteCount: Int
    }

    /// Finds and opens the device of a configuration.
    init(_ configuration: V4L2CameraConfiguration) throws(CaptureError) {
        let device: VideoDevice
        do { device = try DeviceLocator.open(configuration.device) } catch { throw CaptureError(error) }
        try self.init(configuration, device: device)
    }

    /// Looks at a device as it is; changes nothing, and disturbs nobody who uses it.
    static func describe(_ path: String) throws(CaptureError) -> Description {
        do throws(SystemError) {
            let device = try VideoDevice(path: path)
            return try OpenDevice(device, try device.activeFormat(), name: path).description
        } catch {
            throw CaptureError(error)
        }
    }

    /// Gives an open device the format of a configuration.
    init(_ configuration: V4L2CameraConfiguration, device: VideoDevice) throws(CaptureError) {
        let format: ActiveFormat
        do throws(SystemError) {
            format = try Self.chooseFormat(configuration, device)
            if let interval = configuration.frameInterval { _ = try device.setFrameInterval(interval) }
        } catch {
            throw CaptureError(error)
        }
        // Set before ControlMap saves the originals, so that release restores these.
        let settings = try ControlSettings(configuration.controls, device)
        try settings.apply()
        do throws(SystemError) {
            try self.init(
                device, format, name: configuration.device, lens: configuration.lens,
                orientation: configuration.orientation,
                readout: configuration.readoutNanoseconds,
                switchedOff: settings.switchedOff)
        } catch {
            throw CaptureError(error)
        }
        let frame = description.capabilities.frameDurationNanoseconds
        if let readout = configuration.readoutNanoseconds, readout > frame {
            throw CaptureError(
                .unsupportedSettings,
                "\(device.path) cannot take \(readout / 1000) µs to read out a frame of \(frame / 1000) µs; "
                    + "correct the readout in its configuration.")
        }
        if let wanted = configuration.pixelFormat, wanted != format.pixelFormat {
            throw CaptureError(
                .unsupportedSettings,
                "\(device.path) does not deliver \(wanted) in this size; it chose \(format.pixelFormat). "
                    + "Leave the format out, or name one that `volley-node cameras` shows.")
        }
    }

    private init(
        _ device: VideoDevice, _ format: ActiveFormat, name: String, lens: Lens? = nil,
        orientation: PictureOrientation = .up, readout: Int64? = nil,
        switchedOff: Set<Control.ID> = []
    ) throws(SystemError) {
        self.device = device
        self.format = format
        controls = try ControlMap(device, format, switchedOff: switchedOff)
        let formats = try Self.formats(of: device)
        let nominal = controls.frameDuration() ?? device.frameInterval()?.nanoseconds ?? 0
        var camera = CameraCapabilities(
            cameraID: "v4l2:\(name)", modelID: device.capability.card,
            manufacturer: device.capability.driver,
            serialNumber: DeviceLocator.serialNumber(ofNode: device.path),
            pixelFormat: "\(format.pixelFormat)", dimensions: Dimensions(width: format.width, height: format.height),
            frameDurationNanoseconds: nominal > 0 ? nominal : 33_333_333,
            formats: format.pixelFormat.bayer == nil ? [.jpeg, .tiff] : [.jpeg, .tiff, .dng],
            maxBracketedCapturePhotoCount: Self.bracketLimit(format))
        camera.place = device.capability.busInfo
        camera.canMeter = LuminanceReader(format) != nil
        controls.describe(&camera)
        camera.readoutNanoseconds = camera.readoutNanoseconds ?? readout
        (camera.lens, camera.orientation) = (lens, orientation == .up ? nil : orientation)
        usesRequests =
            controls.hasExposureControls && MediaDevice.controller(of: device) != nil && device.supportsRequests
        if usesRequests {
            camera.tellsExposure = controls.requestsTellExposure
            camera.controlDelays = RequestQueue.delays
        }
        description = Description(capabilities: camera, formats: formats, frameByteCount: format.imageSize)
    }

    private static func chooseFormat(
        _ configuration: V4L2CameraConfiguration, _ device: VideoDevice
    ) throws(SystemError) -> ActiveFormat {
        let offered = try device.formats().map(\.pixelFormat)
        let preferred: [PixelFormat] = [.mjpeg, .jpeg, .yuyv, .uyvy, .nv12, .yuv420, .grey]
        let current = try device.activeFormat()
        let pixelFormat =
            configuration.pixelFormat ?? preferred.first { offered.contains($0) } ?? current.pixelFormat
        let largest = try sizes(of: pixelFormat, device).max { $0.width * $0.height < $1.width * $1.height }
        return try device.setFormat(
            pixelFormat, width: configuration.width ?? largest?.width ?? current.width,
            height: configuration.height ?? largest?.height ?? current.height)
    }

    private static func sizes(of pixelFormat: PixelFormat, _ device: VideoDevice) throws(SystemError) -> [Dimensions] {
        try device.frameSizes(pixelFormat).map { size in
            switch size {
            case .discrete(let width, let height): Dimensions(width: width, height: height)
            case .stepwise(let widths, _, let heights, _):
                Dimensions(width: widths.upperBound, height: heights.upperBound)
            }
        }
    }

    private static func formats(of device: VideoDevice) throws(SystemError) -> [CameraFormat] {
        var formats: [CameraFormat] = []
        for pixelFormat in try device.formats().map(\.pixelFormat) {
            for size in try sizes(of: pixelFormat, device) {
                let intervals = try device.frameIntervals(pixelFormat, width: size.width, height: size.height)
                formats.append(
                    CameraFormat(
                        pixelFormat: "\(pixelFormat)", dimensions: size,
                        frameDurations: intervals.map(\.nanoseconds).sorted()))
            }
        }
        return formats
    }

    /// As many frames as fit into a quarter of this board's memory, at most 64.
    private static func bracketLimit(_ format: ActiveFormat) -> Int {
        let memory = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return min(64, max(1, memory / 4 / max(1, format.imageSize)))
    }
}
