package import CaptureModel
package import PhotoCapture
import PhotoEncoding
import Posix
import Synchronization

/// A camera without a device: frames at its own pace, with exposure controls that land late, like a real one's.
package final class SimulatedCamera: Camera {
    package let capabilities: CameraCapabilities
    private let configuration: SimulatedCameraConfiguration
    private let sensor: SimulatedSensor
    private let state: Mutex<State>

    private struct State {
        var observer: (any CameraObserver)?
        var thread: OSThread?
        var driver: SimulatedDriver
        var waiters: [CheckedContinuation<Void, Never>] = []
        var failure: CaptureError?
    }

    package init(_ configuration: SimulatedCameraConfiguration) {
        self.configuration = configuration
        sensor = SimulatedSensor(seed: configuration.seed, dimensions: configuration.dimensions)
        state = Mutex(State(driver: SimulatedDriver(configuration)))
        capabilities = CameraCapabilities(
            cameraID: "simulated:\(configuration.seed)", modelID: "Simulated Camera", manufacturer: "Volley",
            serialNumber: "SIM-\(configuration.seed)", pixelFormat: "RG12+YU12", dimensions: configuration.dimensions,
            frameDurationNanoseconds: configuration.frameDuration, formats: [.jpeg, .dng],
            exposureDurationRange: configuration.exposureDurations, isoRange: SimulatedDriver.isos,
            exposureTargetBiasRange: -4...4, maxBracketedCapturePhotoCount: 64,
            controlDelayFrames: configuration.controlDelay)
    }

    package func startRunning(observer: any CameraObserver) throws(CaptureError) {
        let start = Clocks.monotonicNanoseconds() + configuration.phase
        state.withLock { state in
            precondition(state.thread == nil, "the camera runs already")
            state.driver = SimulatedDriver(configuration)
            state.failure = nil
            state.observer = observer
            state.thread = OSThread(name: "sim-\(configuration.seed)") { [weak self] in
                self?.run(from: start)
            }
        }
    }

    package func stopRunning() {
        let (thread, waiters) = state.withLock { state in
            state.observer = nil
            defer { state.waiters = [] }
            return (state.thread.take(), state.waiters)
        }
        thread?.join()
        waiters.forEach { $0.resume() }
    }

    package func setExposure(_ mode: ExposureMode) throws(CaptureError) -> Exposure {
        let result = state.withLock { state -> Result<Exposure, CaptureError> in
            if let failure = state.failure { return .failure(failure) }
            return .success(state.driver.write(mode))
        }
        return try result.get()
    }

    package func settledExposure() async throws(CaptureError) -> Exposure? {
        while true {
            let outcome = state.withLock { state -> Result<Exposure?, CaptureError> in
                if let failure = state.failure { return .failure(failure) }
                guard state.observer != nil else {
                    return .failure(CaptureError(.sessionNotRunning, "The camera does not run."))
                }
                return .success(state.driver.settledExposure)
            }
            if let exposure = try outcome.get() { return exposure }
            await withCheckedContinuation { continuation in
                let isRunning = state.withLock { state in
                    if state.observer != nil, state.failure == nil { state.waiters.append(continuation) }
                    return state.observer != nil && state.failure == nil
                }
                if !isRunning { continuation.resume() }
            }
        }
    }

    // MARK: The camera's own thread

    private func run(from start: Int64) {
        var number: UInt32 = 0
        while true {
            // A frame arrives at the end of its slot.
            let begin = start + Int64(number) * configuration.trueFrameDuration
            Clocks.sleepThread(untilMonotonicNanoseconds: begin + configuration.trueFrameDuration)
            guard let observer = state.withLock({ $0.observer }) else { return }
            switch configuration.faults[number] {
            case .disconnect:
                fail(CaptureError(.deviceWasDisconnected, "\(capabilities.cameraID) was unplugged."), observer)
                return
            case .stall:
                fail(CaptureError(.stalled, "\(capabilities.cameraID) delivers no frames any more."), observer)
                return
            case .none, .drop, .error, .wrongExposure:
                deliver(number, begin, to: observer)
            }
            number &+= 1
        }
    }

    private func deliver(_ number: UInt32, _ begin: Int64, to observer: any CameraObserver) {
        let fault = configuration.faults[number]
        let (exposure, waiters) = state.withLock { state in
            let exposure = state.driver.expose(number, meter: sensor.meanBrightness)
            defer { state.waiters = [] }
            return (exposure, state.waiters)
        }
        waiters.forEach { $0.resume() }
        guard fault != .drop else { return }
        let info = FrameInfo(
            sequence: number, timestamp: MonotonicTime(nanoseconds: begin), timestampSource: .startOfExposure,
            isError: fault == .error, exposure: exposure)
        observer.cameraDidOutput(info) { [sensor] in
            SimulatedFrame(sensor: sensor, exposure: exposure, number: number)
        }
    }

    private func fail(_ error: CaptureError, _ observer: any CameraObserver) {
        let waiters = state.withLock { state in
            state.failure = error
            defer { state.waiters = [] }
            return state.waiters
        }
        waiters.forEach { $0.resume() }
        observer.cameraDidFail(error)
    }
}

/// A frame that is drawn when its picture is asked for.
private struct SimulatedFrame: FrameContents {
    let sensor: SimulatedSensor
    let exposure: Exposure
    let number: UInt32

    func processedImage() -> ProcessedImage { .yuv(sensor.picture(exposure, frame: number)) }
    func rawImage() -> BayerImage { sensor.raw(exposure, frame: number) }
}
