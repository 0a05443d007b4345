package import CaptureModel
import Glibc
package import PhotoCapture
import Posix
import Synchronization
import Video4Linux

/// A camera behind a V4L2 driver.
package final class V4L2Camera: Camera {
    /// Frames after which a control is taken to be in force, until it is learned for each model.
    private static let assumedControlDelay = 4
    private static let bufferCount = 6
    /// Without a frame for so long the stream counts as stalled. In milliseconds.
    private static let stallLimit: CInt = 2000

    package let capabilities: CameraCapabilities
    private let device: VideoDevice
    private let format: ActiveFormat
    private let exposure: ExposureControls
    private let state = Mutex(State())
    private let wakeUp = WakeUp()

    private struct State {
        var observer: (any CameraObserver)?
        var thread: OSThread?
    }

    /// Opens a device and sets its format; does not take it yet.
    ///
    /// - Throws: ``CaptureError`` with `deviceNotConnected`, `deviceInUse` or `deviceFailed`, and the refused call.
    package init(_ configuration: V4L2CameraConfiguration) throws(CaptureError) {
        do {
            device = try DeviceLocator.open(configuration.device)
        } catch {
            throw CaptureError(error)
        }
        do throws(SystemError) {
            format = try Self.chooseFormat(configuration, device)
            if let rate = configuration.frameRate {
                _ = try device.setFrameInterval(FrameInterval(numerator: 1, denominator: UInt32(rate)))
            }
            exposure = try ExposureControls(device)
        } catch {
            throw CaptureError(error)
        }
        if let wanted = configuration.pixelFormat, wanted != format.pixelFormat {
            throw CaptureError(
                .unsupportedSettings,
                "\(device.path) does not deliver \(wanted) in this size; it chose \(format.pixelFormat). "
                    + "Leave the format out, or name one that `v4l2-ctl --list-formats-ext` shows.")
        }
        capabilities = Self.capabilities(configuration, device, format, exposure)
    }

    private static func chooseFormat(
        _ configuration: V4L2CameraConfiguration, _ device: VideoDevice
    ) throws(SystemError) -> ActiveFormat {
        let offered = try device.formats().map(\.pixelFormat)
        let preferred: [PixelFormat] = [.mjpeg, .jpeg, .yuyv, .uyvy, .nv12, .yuv420, .grey]
        let current = try device.activeFormat()
        let pixelFormat =
            configuration.pixelFormat ?? preferred.first { offered.contains($0) } ?? current.pixelFormat
        let largest = try largestSize(of: pixelFormat, device)
        return try device.setFormat(
            pixelFormat, width: configuration.width ?? largest?.width ?? current.width,
            height: configuration.height ?? largest?.height ?? current.height)
    }

    private static func largestSize(
        of pixelFormat: PixelFormat, _ device: VideoDevice
    ) throws(SystemError) -> (width: Int, height: Int)? {
        try device.frameSizes(pixelFormat).map { size in
            switch size {
            case .discrete(let width, let height): (width, height)
            case .stepwise(let widths, _, let heights, _): (widths.upperBound, heights.upperBound)
            }
        }.max { $0.0 * $0.1 < $1.0 * $1.1 }
    }

    private static func capabilities(
        _ configuration: V4L2CameraConfiguration, _ device: VideoDevice, _ format: ActiveFormat,
        _ exposure: ExposureControls
    ) -> CameraCapabilities {
        let nominal = device.frameInterval()?.nanoseconds ?? 0
        return CameraCapabilities(
            cameraID: "v4l2:\(configuration.device)", modelID: device.capability.card,
            manufacturer: device.capability.driver,
            serialNumber: DeviceLocator.serialNumber(ofNode: device.path) ?? device.capability.busInfo,
            pixelFormat: "\(format.pixelFormat)", dimensions: Dimensions(width: format.width, height: format.height),
            frameDurationNanoseconds: nominal > 0 ? nominal : 33_333_333,
            formats: format.pixelFormat.bayer == nil ? [.jpeg] : [.jpeg, .dng],
            exposureDurationRange: exposure.durationRange, isoRange: exposure.isoRange, exposureTargetBiasRange: nil,
            maxBracketedCapturePhotoCount: bracketLimit(format), controlDelayFrames: assumedControlDelay,
            limitations: exposure.limitations(card: device.capability.card))
    }

    /// As many frames as a quarter of this board's memory holds, 64 at the most.
    private static func bracketLimit(_ format: ActiveFormat) -> Int {
        let memory = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        return min(64, max(1, memory / 4 / max(1, format.imageSize)))
    }

    // MARK: Camera

    package func startRunning(observer: any CameraObserver) throws(CaptureError) {
        let stream: Stream
        do throws(SystemError) {
            stream = Stream(try BufferQueue(device: device, count: Self.bufferCount))
            try stream.buffers.streamOn()
        } catch {
            throw CaptureError(error)
        }
        state.withLock { state in
            precondition(state.thread == nil, "the camera runs already")
            state.observer = observer
            state.thread = OSThread(name: "v4l2-capture") { [weak self] in self?.run(stream) }
        }
    }

    package func stopRunning() {
        let thread = state.withLock { state in
            state.observer = nil
            return state.thread.take()
        }
        wakeUp.signal()
        thread?.join()
    }

    package func setExposure(_ mode: ExposureMode) throws(CaptureError) -> Exposure {
        do throws(SystemError) {
            switch mode {
            case .continuousAutoExposure:
                try exposure.restore(device)
                return try exposure.current(device) ?? Exposure()
            case .custom(let wanted):
                return try exposure.set(wanted, on: device)
            }
        } catch {
            throw CaptureError(error)
        }
    }

    package func settledExposure() async throws(CaptureError) -> Exposure? {
        do throws(SystemError) { return try exposure.current(device) } catch { throw CaptureError(error) }
    }

    // MARK: The capture thread

    /// The buffers, handed to the capture thread, which alone uses them.
    private final class Stream: @unchecked Sendable {
        // Invariant: built before the thread starts, then touched by that thread alone.
        let buffers: BufferQueue
        init(_ buffers: consuming BufferQueue) { self.buffers = buffers }
    }

    private func run(_ stream: Stream) {
        do throws(SystemError) {
            while let observer = state.withLock({ $0.observer }) {
                let ready = try device.wait(milliseconds: Self.stallLimit, wakeUp: wakeUp)
                if ready.contains(.frame) {
                    try deliver(from: stream, to: observer)
                } else if ready.contains(.error) {
                    throw SystemError(call: "poll", errno: ENODEV, subject: device.path)
                } else if ready.isEmpty {
                    observer.cameraDidFail(
                        CaptureError(
                            .stalled, "\(device.path) has delivered no frame for \(Self.stallLimit / 1000) s."))
                    return
                }
            }
            try stream.buffers.streamOff()
        } catch {
            state.withLock { $0.observer }?.cameraDidFail(CaptureError(error))
        }
    }

    private func deliver(from stream: Stream, to observer: any CameraObserver) throws(SystemError) {
        guard let buffer = try stream.buffers.dequeue() else { return }
        let now = MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
        let info = FrameInfo(
            sequence: buffer.sequence,
            timestamp: buffer.isMonotonic ? MonotonicTime(nanoseconds: buffer.timestampNanoseconds) : now,
            timestampSource: buffer.isMonotonic && buffer.isStartOfExposure ? .startOfExposure : .endOfFrame,
            isError: buffer.isError)
        // The bytes leave the driver's buffer only for a frame that is wanted.
        observer.cameraDidOutput(info) {
            V4L2Frame(bytes: stream.buffers.bytes(of: buffer), format: format, device: device)
        }
        try stream.buffers.queue(buffer.index)
    }
}

extension CaptureError {
    init(_ error: SystemError) {
        let (code, hint): (Code, String) =
            switch error.errno {
            case ENODEV, ENXIO: (.deviceWasDisconnected, "The camera was unplugged.")
            case ENOENT: (.deviceNotConnected, "Plug the camera in.")
            case EBUSY: (.deviceInUse, "Another program has the camera; stop it.")
            case EACCES, EPERM: (.deviceFailed, "Permission denied; is the user in the group 'video'?")
            case ENOSPC: (.deviceFailed, "The USB bus has no bandwidth left; use another bus or a smaller format.")
            default: (.deviceFailed, "The driver refused.")
            }
        self.init(code, "\(hint) (\(error))")
    }

    init(_ error: DeviceLocator.LocatorError) {
        switch error {
        case .system(let system): self.init(system)
        case .notFound, .ambiguous: self.init(.deviceNotConnected, "\(error)")
        case .notACaptureDevice: self.init(.unsupportedSettings, "\(error)")
        }
    }
}
