import CaptureModel
import Glibc
import PhotoCapture
import PhotoEncoding
import Synchronization
import Testing

/// A camera whose frames come when a test says so, and which keeps what it was told.
final class ManualCamera: Camera {
    struct State {
        var capabilities: CameraCapabilities
        var observer: (any CameraObserver)?
        var written: [ControlValues] = []
        var automatics: [CameraAutomatic] = []
        var formats: [CameraFormat] = []
        var landings: [(frame: UInt32, values: ControlValues)] = []
        var inForce: ControlValues
        var next: UInt32 = 0
        var refusal: CaptureError?
        var isGone = false
        var isFocusing: Bool?
        var writtenWhileStopped: [ControlValues] = []
    }

    static let frameDuration: Int64 = 10_000_000
    static let delay: UInt32 = 2
    let state: Mutex<State>

    init(_ configure: (inout CameraCapabilities) -> Void = { _ in }) {
        var camera = CameraCapabilities(
            cameraID: "manual:1", modelID: "Manual", manufacturer: "Volley", serialNumber: "1", pixelFormat: "GREY",
            dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: Self.frameDuration,
            formats: [.jpeg, .dng],
            exposureDurationRange: ExposureDuration(nanoseconds: 100_000)...ExposureDuration(nanoseconds: 10_000_000),
            isoRange: 100...1600, maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(Int(Self.delay)))
        camera.tellsExposure = true
        camera.canSetLensPosition = true
        camera.hasAutoFocus = true
        camera.hasLensStabilization = true
        camera.whiteBalance = WhiteBalanceCapability(
            maxWhiteBalanceGain: 4, temperatureRange: 2800...6500, hasAutomatic: true)
        configure(&camera)
        var inForce = ControlValues(Exposure(duration: ExposureDuration(nanoseconds: 2_000_000), iso: 100))
        inForce.lensPosition = 0.5
        let format = CameraFormat(
            pixelFormat: "GREY", dimensions: camera.dimensions, frameDurations: [Self.frameDuration])
        let large = CameraFormat(
            pixelFormat: "GREY", dimensions: Dimensions(width: 128, height: 96), frameDurations: [Self.frameDuration])
        state = Mutex(State(capabilities: camera, formats: [format, large], inForce: inForce))
    }

    var capabilities: CameraCapabilities { state.withLock { $0.capabilities } }
    var formats: [CameraFormat] { state.withLock { $0.formats } }
    var frameByteCount: Int { 64 * 48 }
    var waitingFrameCount: Int { 0 }
    var written: [ControlValues] { state.withLock { $0.written } }
    var automatics: [CameraAutomatic] { state.withLock { $0.automatics } }
    var writtenWhileStopped: [ControlValues] { state.withLock { $0.writtenWhileStopped } }
    var isRunning: Bool { state.withLock { $0.observer != nil } }

    func setFormat(_ format: CameraFormat, frameDuration: Int64?) {
        state.withLock { $0.capabilities.dimensions = format.dimensions }
    }

    func startRunning(observer: any CameraObserver, at time: MonotonicTime?) throws(CaptureError) {
        let isGone = state.withLock { state in
            if !state.isGone { state.observer = observer }
            return state.isGone
        }
        if isGone { throw CaptureError(.deviceNotConnected, "gone") }
    }

    func stopRunning() { state.withLock { $0.observer = nil } }

    func write(_ values: ControlValues) throws(CaptureError) -> ControlValues {
        let refusal = state.withLock { state in
            guard state.refusal == nil else { return state.refusal }
            state.written.append(values)
            if state.observer == nil { state.writtenWhileStopped.append(values) }
            state.landings.append((state.next &+ Self.delay &- 1, values))
            return nil
        }
        if let refusal { throw refusal }
        return values
    }

    func read() -> ControlValues { state.withLock { $0.inForce } }

    func isFocusing() -> Bool? { state.withLock { $0.isFocusing } }

    func setAutomatic(_ automatic: CameraAutomatic) { state.withLock { $0.automatics.append(automatic) } }

    /// Delivers frames, one after the other.
    func deliver(_ count: Int = 1) {
        for _ in 0..<count {
            let (observer, info, values) = state.withLock { state in
                for landing in state.landings where landing.frame <= state.next {
                    state.inForce = landing.values.over(state.inForce)
                }
                state.landings.removeAll { $0.frame <= state.next }
                let info = FrameInfo(
                    sequence: state.next, timestamp: MonotonicTime(nanoseconds: Int64(state.next) * Self.frameDuration),
                    stamp: .startOfExposure,
                    exposure: state.capabilities.tellsExposure ? state.inForce.exposure : nil)
                state.next &+= 1
                return (state.observer, info, state.inForce)
            }
            observer?.cameraDidOutput(info, ManualFrame(values: values, dimensions: capabilities.dimensions))
        }
    }

    /// The camera is unplugged, or plugged in again.
    func unplug() {
        let observer = state.withLock { state in
            state.isGone = true
            return state.observer
        }
        observer?.cameraDidFail(CaptureError(.deviceWasDisconnected, "unplugged"))
    }

    func plug() { state.withLock { $0.isGone = false } }
}

private struct ManualFrame: FrameBuffer, FrameContents {
    let values: ControlValues
    let dimensions: Dimensions

    /// 2 ms at ISO 100 are what an automatic aims at.
    private var light: Double { (values.exposureDuration?.seconds ?? 0) / 0.002 * (values.iso ?? 100) / 100 * 0.18 }

    func luminanceGrid() -> LuminanceGrid? {
        let code = SRGB.encoded(min(light, 1))
        return LuminanceGrid(width: 64, height: 48) { _, _ in Float(code) }
    }

    func contents(_ pool: FramePool) -> any FrameContents { self }

    func processedImage() -> ProcessedImage {
        .yuv(
            YUVImage(
                dimensions: dimensions, subsampling: .grey,
                planes: [[UInt8](repeating: 100, count: dimensions.width * dimensions.height)]))
    }

    func rawImage() -> BayerImage {
        BayerImage(
            dimensions: dimensions, pattern: .rggb, blackLevel: 0, whiteLevel: 4095, neutral: [1, 1, 1],
            samples: [UInt16](repeating: 1000, count: dimensions.width * dimensions.height))
    }
}

/// A session with a manual camera and a photo output.
final class Studio: Sendable {
    let camera: ManualCamera
    let device: CaptureDevice
    let session = CaptureSession(retryInterval: .milliseconds(5))
    let output = PhotoOutput()

    init(isRunning: Bool = true, _ configure: (inout CameraCapabilities) -> Void = { _ in }) throws {
        camera = ManualCamera(configure)
        device = CaptureDevice(camera)
        try session.addInput(device)
        try session.addOutput(output)
        guard isRunning else { return }
        try session.startRunning()
        // The automatic settles.
        camera.deliver(12)
    }

    deinit { try? session.stopRunning() }

    /// Delivers frames while something is waited for; no clock is involved.
    func frames<Result: Sendable>(during body: @Sendable @escaping () async throws -> Result) async throws -> Result {
        let task = Task { try await body() }
        let pump = Task { [camera] in
            while !Task.isCancelled {
                camera.deliver()
                await Task.yield()
            }
        }
        let result = await task.result
        pump.cancel()
        // Its last frame is another thread's until then.
        await pump.value
        return try result.get()
    }

    /// The events of a capture, after which everything is as before.
    func capture(_ settings: any PhotoCaptureSettings) async throws -> [PhotoCaptureEvent] {
        // What it overwrote is put back after the next frame.
        defer { camera.deliver() }
        return try await frames { [output] in
            let prepared = try await output.prepare(settings)
            var events: [PhotoCaptureEvent] = []
            for await timed in try output.fire(prepared) { events.append(timed.event) }
            return events
        }
    }
}

func manual(_ milliseconds: [Double], formats: [PhotoFormat] = [.jpeg]) throws -> PhotoBracketSettings {
    let steps = milliseconds.map { time in
        BracketedStillImageSettings.manualExposure(
            exposureDuration: .value(ExposureDuration(seconds: time / 1000)), iso: .value(100))
    }
    return PhotoBracketSettings(formats: formats, bracketedSettings: try Bracket(steps))
}

func photos(_ events: [PhotoCaptureEvent]) -> [Photo] {
    events.compactMap { if case .didFinishProcessingPhoto(let photo) = $0 { photo } else { nil } }
}

/// The photos of a capture, when it is over.
func photos(_ events: PhotoCaptureEvents) async -> [Photo] {
    var all: [PhotoCaptureEvent] = []
    for await timed in events { all.append(timed.event) }
    return photos(all)
}

/// Expects a refusal of this kind.
func expectRefusal(_ code: CaptureSettingsError.Code, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("it was not refused")
    } catch {
        #expect((error as? CaptureSettingsError)?.code == code, "\(error)")
    }
}

func expectRefusal(_ code: CaptureDeviceError.Code, _ body: () async throws -> Void) async {
    do {
        try await body()
        Issue.record("it was not refused")
    } catch {
        #expect((error as? CaptureDeviceError)?.code == code, "\(error)")
    }
}
