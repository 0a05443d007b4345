package import CaptureModel
import Glibc
package import PhotoCapture
import Posix
import Synchronization
import Video4Linux

/// A camera behind a V4L2 driver.
///
/// It is found by its name each time it starts, so that one that was unplugged and is back, under whatever number,
/// resumes; but only if it is the same camera.
package final class V4L2Camera: Camera {
    private static let bufferCount = 6
    /// The time without a frame, beyond the longest exposure, after which a stream has stalled, in nanoseconds.
    private static let stallLimit = Int64.seconds(2)
    /// How often the values of automatics are read, in nanoseconds.
    private static let pollInterval: Int64 = 1_000_000_000

    private let configuration: V4L2CameraConfiguration
    private let state: Mutex<State>
    private let wakeUp = WakeUp()

    private struct State {
        /// Nil while the camera is lost: an open descriptor would hold on to a device that is gone.
        var open: OpenDevice?
        var description: OpenDevice.Description
        /// The format to set when the device is opened again; nil for the one that the configuration asks for.
        var chosen: (format: CameraFormat, frameDuration: Int64?)?
        var isLost = false
        var recentExposures: [Int64] = []
        /// With the Media Request API: what the next buffer's frame is to have.
        var requested: ControlValues?
        var observer: (any CameraObserver)?
        var thread: OSThread?
        /// How many buffers the driver fills; 0 while it does not stream.
        var bufferCount = 0

        /// Takes values for the next buffer's frame.
        ///
        /// - Returns: everything that frame will have; nil where frames have no requests.
        mutating func request(_ values: ControlValues) -> ControlValues? {
            requested = requested.map { values.over($0) }
            return requested
        }

        /// Keeps the last few exposures, as frames of some are still to come when the next one is written.
        mutating func noteExposure(_ nanoseconds: Int64) {
            recentExposures = recentExposures.suffix(15) + [nanoseconds]
        }
    }

    /// Opens a device and sets its format; does not take it yet.
    ///
    /// - Throws: ``CaptureError`` with `deviceNotConnected`, `deviceInUse` or `deviceFailed`, and the refused call.
    package init(_ configuration: V4L2CameraConfiguration) throws(CaptureError) {
        self.configuration = configuration
        let open = try OpenDevice(configuration)
        state = Mutex(State(open: open, description: open.description))
    }

    /// What a device is and can do in the format that it has, without taking it.
    package static func describe(
        _ path: String
    ) throws(CaptureError) -> (camera: CameraCapabilities, formats: [CameraFormat]) {
        let description = try OpenDevice.describe(path)
        return (description.capabilities, description.formats)
    }

    /// As they were when the device was last opened, also while the camera is lost.
    package var capabilities: CameraCapabilities { state.withLock { $0.description.capabilities } }

    /// The driver's `sizeimage`.
    package var frameByteCount: Int { state.withLock { $0.description.frameByteCount } }

    /// The filled buffers; 0 with the Media Request API, where values go with their buffer.
    package var waitingFrameCount: Int {
        let (open, count) = state.withLock { ($0.open, $0.bufferCount) }
        // A request goes with its buffer, whatever waits.
        guard let open, !open.usesRequests else { return 0 }
        return open.device.waitingBufferCount(of: count)
    }

    /// Every pixel format and size that the driver lists, each with its frame durations.
    package var formats: [CameraFormat] { state.withLock { $0.description.formats } }

    private func openDevice() throws(CaptureError) -> OpenDevice {
        guard let open = state.withLock({ $0.open }) else {
            throw CaptureError(.deviceWasDisconnected, "\(configuration.device) was unplugged; plug it in again.")
        }
        return open
    }

    /// Sets a format on the open device, and again whenever the camera is found anew.
    package func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError) {
        precondition(state.withLock { $0.thread } == nil, "the camera runs")
        var wanted = configuration
        wanted.choose(format, frameDuration)
        let open = try OpenDevice(wanted, device: try openDevice().device)
        state.withLock { state in
            (state.open, state.description) = (open, open.description)
            state.chosen = (format, frameDuration)
        }
    }

    // MARK: Camera

    /// Finds a lost camera again, sets up its buffers, waits for the instant, and starts the capture thread.
    package func startRunning(observer: any CameraObserver, at time: MonotonicTime?) throws(CaptureError) {
        if state.withLock({ $0.open }) == nil { try reopen() }
        let open = try openDevice()
        let stream: Stream
        do throws(SystemError) {
            stream = try beginStream(open, at: time)
            let values = stream.requests == nil ? nil : try open.controls.read()
            state.withLock { $0.requested = values }
        } catch {
            throw CaptureError(error)
        }
        open.controls.subscribe()
        state.withLock { state in
            precondition(state.thread == nil, "the camera runs already")
            state.observer = observer
            state.bufferCount = stream.buffers.count
            state.thread = OSThread(name: "v4l2-capture", hasShortTurns: true) { [weak self] in self?.run(stream, open)
            }
        }
    }

    private func beginStream(_ open: OpenDevice, at time: MonotonicTime?) throws(SystemError) -> Stream {
        let count = open.usesRequests ? RequestQueue.bufferCount : Self.bufferCount
        let frame = open.description.capabilities.frameDurationNanoseconds
        let stamps = configuration.presentationTime.flatMap {
            DeviceStamps(of: open.device, open.format, $0, frameDuration: frame)
        }
        let buffers = try BufferQueue(device: open.device, count: count)
        let requests =
            open.usesRequests ? RequestQueue(open.device, open.controls, bufferCount: buffers.count) : nil
        if let time { Clocks.sleepThread(untilMonotonicNanoseconds: time.nanoseconds) }
        if let requests { try requests.streamOn(buffers) } else { try buffers.streamOn() }
        return Stream(buffers, requests, stamps)
    }

    /// Ends the capture thread, and puts the controls back as they were found.
    package func stopRunning() {
        let (thread, open) = state.withLock { state in
            (state.observer, state.bufferCount) = (nil, 0)
            return (state.thread.take(), state.open)
        }
        wakeUp.signal()
        thread?.join()
        // Left as it was found, for whoever has it next; one that is gone needs nothing.
        if thread != nil { open?.controls.restore() }
        state.withLock { state in
            if state.isLost { (state.open, state.isLost) = (nil, false) }
        }
    }

    /// Sets the controls at once; with the Media Request API, exposure and gain go with the next buffer instead.
    package func write(_ values: ControlValues) throws(CaptureError) -> ControlValues {
        let open = try openDevice()
        if let duration = values.exposureDuration { state.withLock { $0.noteExposure(duration.nanoseconds) } }
        do throws(SystemError) {
            let frame = open.description.capabilities.frameDurationNanoseconds
            guard let requested = state.withLock({ $0.request(values) }) else {
                return try open.controls.write(values, frameDuration: frame)
            }
            // The exposure goes with the next buffer; the rest is written now.
            var rest = values
            (rest.exposureDuration, rest.iso, rest.gain) = (nil, nil, nil)
            let written = rest == ControlValues() ? rest : try open.controls.write(rest, frameDuration: frame)
            return ControlValues(requested.exposure).over(written)
        } catch {
            throw CaptureError(error)
        }
    }

    /// Reads the controls; the exposure is nil while the driver's automatic chooses it.
    package func read() throws(CaptureError) -> ControlValues {
        let controls = try openDevice().controls
        do throws(SystemError) { return try controls.read() } catch { throw CaptureError(error) }
    }

    /// Reads `V4L2_CID_AUTO_FOCUS_STATUS`; nil where the driver does not have it.
    package func isFocusing() throws(CaptureError) -> Bool? {
        let controls = try openDevice().controls
        do throws(SystemError) { return try controls.isFocusing() } catch { throw CaptureError(error) }
    }

    /// Sets the controls of an automatic; those that the driver does not have are left out.
    package func setAutomatic(_ automatic: CameraAutomatic) throws(CaptureError) {
        let controls = try openDevice().controls
        do throws(SystemError) { try controls.setAutomatic(automatic) } catch { throw CaptureError(error) }
    }

    /// Reads `V4L2_CID_IMAGE_STABILIZATION`; nil where the driver does not have it.
    package func isLensStabilized() throws(CaptureError) -> Bool? {
        let controls = try openDevice().controls
        do throws(SystemError) { return try controls.isStabilized() } catch { throw CaptureError(error) }
    }

    /// As `v4l2-ctl` spells them; none while the camera is gone.
    package var driverNames: [CameraProperty: String] { (try? openDevice())?.controls.names ?? [:] }

    /// Finds the camera again by its name.
    private func reopen() throws(CaptureError) {
        let (old, chosen) = state.withLock { ($0.description.capabilities, $0.chosen) }
        var wanted = configuration
        if let chosen { wanted.choose(chosen.format, chosen.frameDuration) }
        let open = try OpenDevice(wanted)
        let new = open.description.capabilities
        let isSamePlace = old.serialNumber != nil || new.place == old.place
        guard new.modelID == old.modelID, new.serialNumber == old.serialNumber, isSamePlace else {
            throw CaptureError(
                .deviceNotConnected,
                "At \(configuration.device) there is now \(new.modelID) (\(Self.identity(new))), "
                    + "not \(old.modelID) (\(Self.identity(old))); plug that one back in.")
        }
        state.withLock { ($0.open, $0.description) = (open, open.description) }
    }

    private static func identity(_ camera: CameraCapabilities) -> String {
        camera.serialNumber ?? camera.place ?? "no serial number"
    }

    // MARK: The capture thread

    /// The buffers, handed to the capture thread, which alone uses them.
    private final class Stream: @unchecked Sendable {
        // Invariant: built before the thread starts, then touched by that thread alone.
        let buffers: BufferQueue
        let requests: RequestQueue?
        let stamps: DeviceStamps?

        init(_ buffers: consuming BufferQueue, _ requests: RequestQueue?, _ stamps: DeviceStamps?) {
            self.buffers = buffers
            self.requests = requests
            self.stamps = stamps
        }
    }

    private func run(_ stream: Stream, _ open: OpenDevice) {
        var lastPoll = Clocks.monotonicNanoseconds()
        do throws(SystemError) {
            while let observer = state.withLock({ $0.observer }) {
                let ready = try open.device.wait(milliseconds: CInt(clamping: patience / 1_000_000), wakeUp: wakeUp)
                if ready.contains(.controlEvent) { try drainEvents(open, observer) }
                if ready.contains(.frame) {
                    try deliver(from: stream, open, to: observer)
                } else if ready.contains(.error) {
                    throw SystemError(call: "poll", errno: ENODEV, subject: open.device.path)
                } else if ready.isEmpty {
                    try stream.buffers.streamOff()
                    let waited = Double(patience / 1_000_000) / 1000
                    lose(
                        observer, CaptureError(.stalled, "\(open.device.path) has delivered no frame for \(waited) s."))
                    return
                }
                let now = Clocks.monotonicNanoseconds()
                if open.controls.hasAutomatics, now - lastPoll > Self.pollInterval {
                    lastPoll = now
                    if let values = try? open.controls.read() { observer.cameraDidChange(values) }
                }
            }
            try stream.buffers.streamOff()
        } catch {
            if let observer = state.withLock({ $0.observer }) { lose(observer, CaptureError(error)) }
        }
    }

    package var patience: Int64 { Self.stallLimit + longestExposure * 3 }

    /// The longest exposure of a frame that may still come, in nanoseconds.
    private var longestExposure: Int64 { state.withLock { $0.recentExposures.max() ?? 0 } }

    /// A stream that stalled is restarted on the same device; a device that is gone is looked for anew.
    private func lose(_ observer: any CameraObserver, _ error: CaptureError) {
        state.withLock { $0.isLost = error.code != .stalled }
        observer.cameraDidFail(error)
    }

    private func drainEvents(_ open: OpenDevice, _ observer: any CameraObserver) throws(SystemError) {
        var isChanged = false
        while try open.device.dequeueControlEvent() != nil { isChanged = true }
        // One that does not answer now is no reason to stop.
        if isChanged, let values = try? open.controls.read() { observer.cameraDidChange(values) }
    }

    /// What a stamp marks; what the driver says about that is a hint.
    private static func stamp(of buffer: DequeuedBuffer, _ device: VideoDevice) -> FrameStamp {
        // uvcvideo says SOE, and stamps the first packet of the frame that arrives (uvc_video_decode_start); for a
        // stamp on another clock, the moment at which the frame was taken from the driver is used instead.
        if device.capability.driver == "uvcvideo" || !buffer.isMonotonic { return .arrival }
        return buffer.isStartOfExposure ? .startOfExposure : .endOfFrame
    }

    private func deliver(
        from stream: Stream, _ open: OpenDevice, to observer: any CameraObserver
    ) throws(SystemError) {
        guard let buffer = try stream.buffers.dequeue() else { return }
        // After an error on the USB bus, uvcvideo returns every buffer like this, without data, number or time.
        guard !buffer.isError || buffer.bytesUsed > 0 || stream.requests != nil else {
            return try stream.buffers.queue(buffer.index)
        }
        let now = MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
        var info = FrameInfo(
            sequence: buffer.sequence,
            timestamp: buffer.isMonotonic ? MonotonicTime(nanoseconds: buffer.timestampNanoseconds) : now,
            stamp: Self.stamp(of: buffer, open.device), isError: buffer.isError)
        if info.stamp == .arrival { stream.stamps?.stamp(&info, longestExposure: longestExposure) }
        info.exposure = try stream.requests?.exposure(ofBuffer: buffer.index) ?? nil
        info.isBehind = try open.device.wait(milliseconds: 0, wakeUp: nil).contains(.frame)
        stream.buffers.withBytes(of: buffer) { bytes in
            observer.cameraDidOutput(info, V4L2Buffer(bytes: bytes, format: open.format, device: open.device))
        }
        if let requests = stream.requests {
            try requests.queue(buffer.index, state.withLock { $0.requested } ?? ControlValues(), stream.buffers)
        } else {
            try stream.buffers.queue(buffer.index)
        }
    }
}

/// A frame in the driver's buffer.
private struct V4L2Buffer: FrameBuffer {
    let bytes: UnsafeRawBufferPointer
    let format: ActiveFormat
    let device: VideoDevice

    func luminanceGrid() -> LuminanceGrid? { try? LuminanceReader(format)?.grid(bytes) }

    func contents(_ pool: FramePool) -> any FrameContents {
        V4L2Frame(bytes: pool.copy(bytes), format: format, device: device)
    }
}
