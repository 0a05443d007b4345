package import CaptureModel
import Glibc
package import PhotoCapture
import PhotoEncoding
import Posix
import Synchronization

/// A camera without hardware: frames at its own pace, with controls that take effect late, like a real one's.
package final class SimulatedCamera: Camera {
    private let state: Mutex<State>

    private struct State {
        var configuration: SimulatedCameraConfiguration
        var sensor: SimulatedSensor
        var observer: (any CameraObserver)?
        var thread: OSThread?
        var driver: SimulatedDriver
        var failure: CaptureError?
    }

    package init(_ configuration: SimulatedCameraConfiguration) {
        let sensor = SimulatedSensor(configuration)
        state = Mutex(State(configuration: configuration, sensor: sensor, driver: SimulatedDriver(configuration)))
    }

    /// What the configuration makes it capable of.
    package var capabilities: CameraCapabilities { CameraCapabilities(state.withLock { $0.configuration }) }

    /// Zero: frames are drawn on demand, and take no memory before.
    package var frameByteCount: Int { 0 }

    /// Zero: a frame is made when it is delivered.
    package var waitingFrameCount: Int { 0 }

    /// Three sizes, each at the configured frame rate.
    package var formats: [CameraFormat] {
        let configuration = state.withLock { $0.configuration }
        let size = configuration.fullSize
        return [1, 2, 4].map { scale in
            CameraFormat(
                pixelFormat: CameraCapabilities.simulatedPixelFormat,
                dimensions: Dimensions(width: size.width / scale, height: size.height / scale),
                frameDurations: [configuration.frameDuration])
        }
    }

    /// Sets the size and, in nanoseconds, the frame duration; nil keeps the latter. The camera must be stopped.
    package func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError) {
        guard formats.contains(format) else {
            throw CaptureError(.unsupportedSettings, "The simulated camera has no format of \(format.dimensions).")
        }
        state.withLock { state in
            precondition(state.thread == nil, "the camera runs")
            state.configuration.dimensions = format.dimensions
            state.configuration.frameDuration = frameDuration ?? state.configuration.frameDuration
            state.sensor = SimulatedSensor(state.configuration)
        }
    }

    /// Starts the stream on a thread of its own, at `time` or at once, delayed by the camera's own phase.
    package func startRunning(observer: any CameraObserver, at time: MonotonicTime?) throws(CaptureError) {
        state.withLock { state in
            precondition(state.thread == nil, "the camera runs already")
            let configuration = state.configuration
            let values = state.driver.written
            state.driver = SimulatedDriver(configuration)
            // Registers keep their values.
            _ = state.driver.write(values)
            state.failure = nil
            state.observer = observer
            let start = (time?.nanoseconds ?? Clocks.monotonicNanoseconds()) + configuration.phase
            state.thread = OSThread(name: "sim-\(configuration.seed)") { [weak self, sensor = state.sensor] in
                self?.run(configuration, sensor, from: start)
            }
        }
    }

    /// Stops the stream, and waits for its thread; a fault that has struck does not strike again.
    package func stopRunning() {
        let thread = state.withLock { state in
            state.observer = nil
            // A fault strikes once: a camera that was unplugged and is back stays plugged in.
            state.configuration.faults = state.failure == nil ? state.configuration.faults : [:]
            return state.thread.take()
        }
        thread?.join()
    }

    /// Writes controls; each takes effect its own delay after the frame that arrived last.
    ///
    /// - Returns: what will be in force when everything has landed, clamped to the camera's ranges.
    package func write(_ values: ControlValues) throws(CaptureError) -> ControlValues {
        let result = state.withLock { state -> Result<ControlValues, CaptureError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.driver.write(values))
        }
        return try result.get()
    }

    /// What will be in force when everything written has landed.
    package func read() throws(CaptureError) -> ControlValues { state.withLock { $0.driver.written } }

    /// Nil: it has no autofocus to ask.
    package func isFocusing() -> Bool? { nil }

    /// Does nothing: it has no automatic controls of its own.
    package func setAutomatic(_ automatic: CameraAutomatic) {}

    // MARK: The camera's own thread

    private func run(_ configuration: SimulatedCameraConfiguration, _ sensor: SimulatedSensor, from start: Int64) {
        var number: UInt32 = 0
        var begin = start
        while true {
            // A frame arrives at the end of its slot.
            let shortest = configuration.trueDuration(configuration.frameDuration)
            Clocks.sleepThread(untilMonotonicNanoseconds: begin + shortest)
            let (observer, values) = state.withLock { ($0.observer, $0.driver.expose(number)) }
            let told = configuration.trueDuration(values.frameDuration ?? configuration.frameDuration)
            let length = max(told, values.exposureDuration?.nanoseconds ?? 0)
            if length > shortest { Clocks.sleepThread(untilMonotonicNanoseconds: begin + length) }
            guard let observer else { return }
            let name = "simulated:\(configuration.seed)"
            switch configuration.faults[number] {
            case .disconnect:
                return fail(CaptureError(.deviceWasDisconnected, "\(name) was unplugged."), observer)
            case .stall:
                return fail(CaptureError(.stalled, "\(name) has stopped delivering frames."), observer)
            case .drop:
                break
            case .none, .error, .wrongExposure, .lateControls:
                let info = FrameInfo(
                    sequence: number, timestamp: MonotonicTime(nanoseconds: begin + configuration.timestampError),
                    stamp: .startOfExposure,
                    isError: configuration.faults[number] == .error,
                    exposure: configuration.tellsExposure ? values.exposure : nil)
                var seen = values
                let lit = configuration.litShare(from: begin, values.exposureDuration?.nanoseconds ?? 0)
                let light = (1 + 2 * lit) * exp2(configuration.light(at: number))
                seen.exposureDuration = values.exposureDuration.map {
                    ExposureDuration(nanoseconds: Int64(light * Double($0.nanoseconds)))
                }
                observer.cameraDidOutput(info, SimulatedFrame(sensor: sensor, values: seen, number: number))
            }
            begin += length
            number &+= 1
        }
    }

    private func fail(_ error: CaptureError, _ observer: any CameraObserver) {
        state.withLock { $0.failure = error }
        observer.cameraDidFail(error)
    }
}

extension CameraCapabilities {
    static let simulatedPixelFormat = "RG12+YU12"

    fileprivate init(_ configuration: SimulatedCameraConfiguration) {
        self.init(
            cameraID: "simulated:\(configuration.seed)", modelID: "Simulated Camera", manufacturer: "Volley",
            serialNumber: configuration.serialNumber, pixelFormat: Self.simulatedPixelFormat,
            dimensions: configuration.dimensions, frameDurationNanoseconds: configuration.frameDuration,
            formats: [.jpeg, .tiff, .dng], exposureDurationRange: configuration.exposureDurations,
            isoRange: SimulatedDriver.isos, maxBracketedCapturePhotoCount: 64,
            controlDelays: configuration.tellsExposure ? configuration.delays : nil)
        if configuration.canSetFrameDuration {
            frameDurationRange = configuration.frameDurations
            frameDurationStep = configuration.line
        }
        readoutNanoseconds = 0
        lens = configuration.lens.over(configuration.ownLens)
        orientation = configuration.orientation == .up ? nil : configuration.orientation
        tellsExposure = configuration.tellsExposure
        canSetLensPosition = true
        whiteBalance = WhiteBalanceCapability(maxWhiteBalanceGain: SimulatedDriver.maxWhiteBalanceGain)
    }
}

/// A frame that is drawn when its picture is asked for.
private struct SimulatedFrame: FrameBuffer, FrameContents {
    let sensor: SimulatedSensor
    let values: ControlValues
    let number: UInt32

    func contents(_ pool: FramePool) -> any FrameContents { self }
    func luminanceGrid() -> LuminanceGrid? { sensor.luminanceGrid(values, frame: number) }
    func processedImage() -> ProcessedImage { .yuv(sensor.picture(values, frame: number)) }
    func rawImage() -> BayerImage { sensor.raw(values.exposure, frame: number) }
}
