import CaptureModel
import Glibc
import PhotoCapture
import Posix
import SimulatedCamera
import SimulationKit
import Synchronization
import V4L2Camera
import Video4Linux

/// What a bracket takes of a board's memory, beyond the frames that it must hold.
enum MemoryBenchmark {
    private static let steps = 9

    static func run() async -> [Result] {
        // As volley-node does.
        Heap.returnLargeBlocks()
        do {
            return [try await bracket()]
        } catch {
            return [Result(name: "memory: \(error)", value: .nan, unit: "", threshold: 0...0)]
        }
    }

    private static func bracket() async throws -> Result {
        let camera = RawCamera()
        let device = CaptureDevice(camera)
        let (session, output) = (CaptureSession(), PhotoOutput())
        try session.addInput(device)
        try session.addOutput(output)
        try session.startRunning()
        defer { try? session.stopRunning() }
        let bracket = try Bracket(
            (0..<steps).map { step in
                .manualExposure(
                    exposureDuration: .value(ExposureDuration(nanoseconds: 1_000_000 * Int64(step + 1))), iso: .current)
            })
        let prepared = try await output.prepare(
            PhotoBracketSettings(formats: [.dng, .jpeg], bracketedSettings: bracket))
        let before = kilobytes("VmRSS")
        // Forgets the peak so far (proc(5), clear_refs).
        if let file = fopen("/proc/self/clear_refs", "w") {
            fputs("5", file)
            fclose(file)
        }
        var photos = 0
        for await timed in try output.fire(prepared) {
            guard case .didFinishProcessingPhoto(let photo) = timed.event else { continue }
            if let error = photo.record.error { throw error }
            photos += 1
        }
        precondition(photos == 2 * steps, "every photo was made")
        let frames = steps * RawCamera.byteCount / 1024
        let beyond = Double(kilobytes("VmHWM") - before - frames) / 1024
        return Result(
            name: "memory: a \(steps)-step RAW+JPEG bracket at 12 megapixels, peak beyond its frames", value: beyond,
            unit: " MiB", threshold: -1000...64)
    }

    private static func kilobytes(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix(name) { return Int(text.filter(\.isNumber)) ?? 0 }
        }
        return 0
    }
}

/// A camera of 12 megapixels in 12-bit Bayer, thirty frames a second, from one buffer.
private final class RawCamera: Camera {
    static let size = Dimensions(width: 4056, height: 3040)
    static let byteCount = size.width * size.height * 2
    private static let frameDuration: Int64 = 33_333_333

    private struct State {
        var observer: (any CameraObserver)?
        var thread: OSThread?
        var inForce = ControlValues(Exposure(duration: ExposureDuration(nanoseconds: 5_000_000)))
    }

    private let state = Mutex(State())

    var capabilities: CameraCapabilities {
        var camera = CameraCapabilities(
            cameraID: "raw", modelID: "Raw", manufacturer: "Volley", serialNumber: nil, pixelFormat: "RG12",
            dimensions: Self.size, frameDurationNanoseconds: Self.frameDuration, formats: [.jpeg, .dng],
            exposureDurationRange: ExposureDuration(nanoseconds: 10_000)...ExposureDuration(nanoseconds: 30_000_000),
            maxBracketedCapturePhotoCount: 64, controlDelays: ControlDelays(1))
        camera.tellsExposure = true
        camera.canMeter = false
        return camera
    }

    var formats: [CameraFormat] { [] }
    var frameByteCount: Int { Self.byteCount }
    var waitingFrameCount: Int { 0 }
    func isFocusing() -> Bool? { nil }
    func setFormat(_ format: CameraFormat, frameDuration: Int64?) {}

    func startRunning(observer: any CameraObserver, at time: MonotonicTime?) {
        let format = ActiveFormat(
            pixelFormat: PixelFormat("RG12") ?? .grey, width: Self.size.width, height: Self.size.height,
            bytesPerLine: Self.size.width * 2, imageSize: Self.byteCount, isFullRange: true)
        state.withLock { state in
            state.observer = observer
            state.thread = OSThread(name: "raw") { [weak self] in self?.run(format) }
        }
    }

    func stopRunning() {
        let thread = state.withLock { state in
            state.observer = nil
            return state.thread.take()
        }
        thread?.join()
    }

    func write(_ values: ControlValues) -> ControlValues {
        state.withLock { state in
            state.inForce = values.over(state.inForce)
            return state.inForce
        }
    }

    func read() -> ControlValues { state.withLock { $0.inForce } }
    func setAutomatic(_ automatic: CameraAutomatic) {}

    private func run(_ format: ActiveFormat) {
        var random = SplitMix64(state: 1)
        let samples = (0..<Self.byteCount / 8).map { _ in random.next() & 0x0FFF_0FFF_0FFF_0FFF }
        var number: UInt32 = 0
        var next = Clocks.monotonicNanoseconds()
        while true {
            next += Self.frameDuration
            Clocks.sleepThread(untilMonotonicNanoseconds: next)
            let (observer, values) = state.withLock { ($0.observer, $0.inForce) }
            guard let observer else { return }
            let info = FrameInfo(
                sequence: number, timestamp: MonotonicTime(nanoseconds: next), stamp: .startOfExposure,
                exposure: values.exposure)
            samples.withUnsafeBytes { observer.cameraDidOutput(info, RawBuffer(bytes: $0, format: format)) }
            number &+= 1
        }
    }
}

private struct RawBuffer: FrameBuffer {
    let bytes: UnsafeRawBufferPointer
    let format: ActiveFormat

    func luminanceGrid() -> LuminanceGrid? { nil }
    func contents(_ pool: FramePool) -> any FrameContents {
        V4L2Frame(bytes: pool.copy(bytes), format: format, device: nil)
    }
}
