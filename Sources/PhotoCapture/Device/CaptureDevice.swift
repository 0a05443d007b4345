public import CaptureModel
import Glibc
import Posix
import Synchronization

/// A camera as its user sees it: modes, values that can be observed, an automatic exposure. Apple: `AVCaptureDevice`.
///
/// Whatever is written to the camera goes through here, right after a frame has arrived, so that the timeline knows
/// what is in force on every frame. A capture holds the controls while it lasts; then they are put back.
///
/// ```
/// free: orders of the user, the automatic --hold()--> held: the capture's writes alone
///   ^                                                    |
///   +------------- what was overridden put back <--release()
/// ```
public final class CaptureDevice: CameraObserver {
    package let camera: any Camera
    /// Everything that can be observed.
    public let properties: Observed<DeviceProperties>
    let profiles: any ProfileStore
    let state: Mutex<State>

    typealias Completion = CheckedContinuation<MonotonicTime, any Error>

    struct State {
        var isLocked = false
        var timeline = ControlTimeline()
        var lastFrame: UInt32?
        var queue = ControlQueue()
        var completions: [Int: Completion] = [:]
        var nextOrder = 0
        /// What a capture found and has written over; nil while none holds the controls.
        var hold: Hold?
        /// Meters while an automatic exposure mode is on.
        var loop: AutoExposureLoop?
        var meteringPoint: Point?
        var framesSinceMetering = 0
        var framesSinceFocus = 0
        var phase: Phase?
        /// The newest picture that was metered, and what was in force on it.
        var metered: (frame: UInt32, grid: LuminanceGrid, exposure: Exposure)?
        var calibration: Calibration?
        var doubt = ProfileDoubt()
        /// Counts what keeps a learning in the background from beginning.
        var relearningTurn = 0
        var outputs: [WeakOutput] = []
        /// Whether what waits for frames will hear of their end.
        var isRunning = false
    }

    /// Outputs belong to whoever made them, and hold the device.
    struct WeakOutput {
        weak var output: (any DeviceOutput)?
    }

    struct Hold {
        let found: ControlValues
        var overridden: Set<CameraControl> = []
        let isStabilized: Bool
    }

    /// - Parameter profiles: where what was learned of cameras is kept.
    package init(_ camera: any Camera, profiles: any ProfileStore = NoProfileStore()) {
        self.camera = camera
        self.profiles = profiles
        state = Mutex(State())
        let capabilities = camera.capabilities
        var properties = DeviceProperties(capabilities: capabilities)
        properties.profile = profiles.profile(of: capabilities) ?? CameraProfile(known: capabilities)
        properties.capabilities = Self.extended(capabilities, properties.profile)
        if Self.metersItself(capabilities) || capabilities.hasAutoExposure {
            properties.exposureMode = .continuousAutoExposure
            properties.isAdjustingExposure = Self.metersItself(capabilities)
        }
        if capabilities.hasAutoFocus { properties.focusMode = .continuousAutoFocus }
        if capabilities.whiteBalance.hasAutomatic { properties.whiteBalanceMode = .continuousAutoWhiteBalance }
        if properties.profile.map({ $0.source == .calibrated && $0.response == nil }) ?? false {
            // The scene may show more this time.
            state.withLock { $0.doubt.note(hasMismatches: true, hasVerified: false) }
        }
        self.properties = Observed(properties)
    }

    /// The camera's name in a configuration; stable as long as the name is.
    public var uniqueID: String { camera.capabilities.cameraID }

    /// What cameras of this model are called.
    public var modelID: String { camera.capabilities.modelID }

    /// What the camera can do, with what the core adds: it meters where the driver cannot.
    public var capabilities: CameraCapabilities { properties.value.capabilities }

    /// What the camera can be switched to, the active format among them; see ``CaptureSession/setActiveFormat(_:frameDuration:)``.
    public var formats: [CameraFormat] { camera.formats }

    /// What was learned of the camera; nil while nothing was.
    public var profile: CameraProfile? { properties.value.profile }

    /// What the timestamps of this camera are off by, in nanoseconds; 0 where nobody has looked.
    package var startOffset: Int64 { profile?.startOffsets?[profileKey] ?? 0 }

    /// What tells this camera from others of its model.
    var profileKey: String { camera.capabilities.serialNumber ?? camera.capabilities.cameraID }

    /// Adds to what the timestamps are off by, and keeps it.
    package func moveStart(by nanoseconds: Int64) async throws {
        try await learnControls()
        let camera = camera.capabilities
        var profile =
            profile
            ?? CameraProfile(
                modelID: camera.modelID, pixelFormat: camera.pixelFormat,
                delays: camera.controlDelays ?? PreparedCapture.unknownDelays, source: .known, response: nil)
        profile.startOffsets = (profile.startOffsets ?? [:]).merging([profileKey: startOffset + nanoseconds]) { $1 }
        adopt(profile)
    }

    /// How late the controls act.
    package var delays: ControlDelays { profile?.delays ?? PreparedCapture.unknownDelays }

    /// Whether the core's own automatic can meter this camera.
    static func metersItself(_ camera: CameraCapabilities) -> Bool {
        camera.exposureDurationRange != nil && camera.canMeter
    }

    /// What a camera can do, with what the core adds to it.
    package static func extended(_ camera: CameraCapabilities, _ profile: CameraProfile?) -> CameraCapabilities {
        var extended = camera
        extended.controlDelays = profile?.delays ?? camera.controlDelays
        if metersItself(camera), let range = camera.exposureDurationRange {
            // As far as half of its range reaches: the metered exposure is somewhere in it.
            let times = log2(range.upperBound.seconds / range.lowerBound.seconds)
            let isos = camera.isoRange.map { log2($0.upperBound / $0.lowerBound) } ?? 0
            let reach = min(8, ((times + isos) / 2).rounded(.down))
            extended.exposureTargetBiasRange = -reach...reach
        }
        return extended
    }

    // MARK: Outputs

    func add(_ output: any DeviceOutput) {
        state.withLock { state in
            state.outputs.removeAll { $0.output == nil }
            state.outputs.append(WeakOutput(output: output))
        }
    }

    private var outputs: [any DeviceOutput] { state.withLock { $0.outputs.compactMap(\.output) } }

    func remove(_ output: any DeviceOutput) {
        state.withLock { $0.outputs.removeAll { $0.output === output } }
    }

    // MARK: The flow

    /// Starts the flow of frames, with the controls as they were before it ended.
    ///
    /// - Parameter time: the instant at which the stream is to begin; nil for at once.
    func startRunning(at time: MonotonicTime? = nil) throws(CaptureError) {
        let wanted = state.withLock { state in
            let wanted = state.timeline.written
            (state.timeline, state.lastFrame, state.phase, state.metered) = (ControlTimeline(), nil, nil, nil)
            return wanted
        }
        properties.update { $0.failure = nil }
        try camera.startRunning(observer: self, at: time)
        let values: ControlValues
        do {
            try applyModes()
            values = try takeControls(wanted)
        } catch {
            camera.stopRunning()
            throw error
        }
        let profile = profile
        state.withLock { state in
            state.timeline = ControlTimeline(inForce: values)
            if let profile {
                // The stream runs already: the first frames do not have the values yet. Their numbers begin with 0.
                state.timeline.wrote(values, after: state.lastFrame ?? .max, profile.delays)
            }
            resumeMetering(&state, from: values.exposure)
            state.isRunning = true
        }
        let isMetering = state.withLock { $0.loop != nil }
        properties.update {
            // It may have failed already.
            ($0.isRunning, $0.isAdjustingExposure) = ($0.failure == nil, isMetering)
            ($0.lensPosition, $0.whiteBalance) = (values.lensPosition ?? 1, values.whiteBalance)
        }
    }

    /// Ends the flow of frames, for this reason.
    func stopRunning(_ reason: CaptureError.Code) {
        properties.update { $0.isRunning = false }
        let error =
            reason == .sessionConfigurationChanged
            ? CaptureError(reason, "The session was given another format meanwhile.")
            : CaptureError(reason, "The capture session was stopped.")
        // Captures give the controls back first: a camera that stops puts back what it found after that.
        for output in outputs { output.deviceDidStop(error) }
        camera.stopRunning()
        end(error)
    }

    /// Switches the camera to another format; what was learned of the old one does not hold for it.
    func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError) {
        try camera.setFormat(format, frameDuration: frameDuration)
        let camera = camera.capabilities
        // A model's delays and response do not depend on the size.
        let kept = properties.value.profile.flatMap { $0.pixelFormat == camera.pixelFormat ? $0 : nil }
        let profile = kept ?? profiles.profile(of: camera) ?? CameraProfile(known: camera)
        properties.update {
            $0.profile = profile
            $0.capabilities = Self.extended(camera, profile)
            // Both belong to the format, as Apple has it.
            $0.activeMaxExposureDuration = nil
            $0.exposurePointOfInterest = .centre
        }
        state.withLock { $0.meteringPoint = nil }
    }

    /// Writes what is wanted, and the rest as it is; the exposure too, which may be in the driver's own hands.
    private func takeControls(_ former: ControlValues) throws(CaptureError) -> ControlValues {
        let now = properties.value
        var wanted = former
        // What an automatic chose before is not to be set by hand now.
        if now.focusMode == .continuousAutoFocus { wanted.lensPosition = nil }
        if now.whiteBalanceMode == .continuousAutoWhiteBalance { wanted.whiteBalance = nil }
        var values = wanted.over(try camera.read())
        if let range = camera.capabilities.exposureDurationRange, Self.metersItself(camera.capabilities) {
            let guess = min(max(Self.firstExposure, range.lowerBound), range.upperBound)
            values.exposureDuration = values.exposureDuration ?? guess
        }
        var exposure = ControlValues(values.exposure)
        exposure = wanted.over(exposure)
        return exposure == ControlValues() ? values : try camera.write(exposure).over(values)
    }

    /// Where the automatic begins when nothing says better.
    private static let firstExposure = ExposureDuration(nanoseconds: 10_000_000)

    /// Tells the driver's automatics what their modes are.
    private func applyModes() throws(CaptureError) {
        let now = properties.value
        if now.capabilities.hasAutoFocus {
            try camera.setAutomatic(
                .focus(isOn: now.focusMode == .continuousAutoFocus, now.autoFocusRangeRestriction))
        }
        if now.capabilities.whiteBalance.hasAutomatic {
            try camera.setAutomatic(.whiteBalance(isOn: now.whiteBalanceMode == .continuousAutoWhiteBalance))
        }
        if now.capabilities.hasAutoExposure, !Self.metersItself(now.capabilities) {
            try camera.setAutomatic(.exposure(isOn: now.exposureMode == .continuousAutoExposure))
        }
    }

    /// What waits for frames will wait in vain.
    private func end(_ error: CaptureError) {
        let (completions, calibration) = state.withLock { state in
            state.isRunning = false
            let ids = state.queue.removeAll()
            // What was tried was not wanted.
            state.calibration?.fit?.cancel()
            if let base = state.calibration?.base {
                state.timeline.wrote(ControlValues(base), after: nil, ControlDelays(1))
            }
            defer { state.calibration = nil }
            return (ids.compactMap { state.completions.removeValue(forKey: $0) }, state.calibration)
        }
        properties.update { $0.calibrationProgress = nil }
        completions.forEach { $0.resume(throwing: error) }
        calibration?.waiting.values.forEach { $0.resume(throwing: error) }
    }

    // MARK: CameraObserver

    package func cameraDidOutput(_ seen: FrameInfo, _ buffer: any FrameBuffer) {
        var frame = seen
        if let offset = profile?.startOffsets?[profileKey] {
            (frame.timestamp, frame.correction) = (seen.timestamp + offset, offset)
        }
        let arrival = state.withLock { state in
            state.lastFrame = frame.sequence
            let values = state.timeline.advance(to: frame.sequence)
            let done = state.queue.frame(frame.sequence).compactMap { state.completions.removeValue(forKey: $0) }
            let orders =
                state.hold == nil && state.calibration == nil && !frame.isBehind ? state.queue.takeWaiting() : []
            return (
                isSteady: state.timeline.isSteady, values: values, done: done, orders: orders,
                isCalibrating: state.calibration != nil, isHeld: state.hold != nil,
                outputs: state.outputs.compactMap(\.output)
            )
        }
        let exposed = (frame.exposure ?? arrival.values.exposure)
        let start = frame.pace(
            duration: exposed.duration, frameDurationNanoseconds: camera.capabilities.frameDurationNanoseconds,
            readoutNanoseconds: camera.capabilities.readoutNanoseconds)
        // Who waited for a value finds it.
        note(exposed, arrival.values)
        arrival.done.forEach { $0.resume(returning: start) }
        for entry in arrival.orders { carryOut(entry, after: frame.sequence) }
        guard !arrival.isCalibrating else {
            calibrate(frame, buffer)
            return
        }
        meter(frame, buffer)
        followFocus()
        followPhase(frame, start: start)
        let delivered = DeviceFrame(
            info: frame, values: arrival.values, isSteady: arrival.isSteady, isHeld: arrival.isHeld, buffer: buffer)
        for output in arrival.outputs { output.deviceDidOutput(delivered) }
    }

    package func cameraDidChange(_ values: ControlValues) {
        properties.update {
            $0.lensPosition = values.lensPosition ?? $0.lensPosition
            $0.whiteBalance = values.whiteBalance ?? $0.whiteBalance
        }
    }

    package func cameraDidFail(_ error: CaptureError) {
        properties.update { ($0.isRunning, $0.failure) = (false, error) }
        end(error)
        for output in outputs { output.deviceDidFail(error) }
    }

    /// Tells observers what the frame was exposed with, when that is news.
    private func note(_ exposure: Exposure, _ values: ControlValues) {
        guard properties.value.exposure != exposure else { return }
        properties.update {
            $0.exposure = exposure
            if $0.focusMode == .locked { $0.lensPosition = values.lensPosition ?? $0.lensPosition }
            if $0.whiteBalanceMode == .locked { $0.whiteBalance = values.whiteBalance ?? $0.whiteBalance }
        }
    }
}

/// Hears of a device's frames, on the camera's thread.
protocol DeviceOutput: AnyObject, Sendable {
    func deviceDidOutput(_ frame: DeviceFrame)
    func deviceDidFail(_ error: CaptureError)
    /// The session stopped the camera, or gave it another format.
    func deviceDidStop(_ error: CaptureError)
}

extension DeviceOutput {
    func deviceDidStop(_ error: CaptureError) {}
}

/// A frame with what is known of its exposure.
struct DeviceFrame {
    let info: FrameInfo
    /// What was written and has landed on it, by the timeline.
    let values: ControlValues
    /// Whether what it was exposed with is certain; see ``ControlTimeline/isSteady``.
    let isSteady: Bool
    /// Whether a capture has the camera to itself.
    let isHeld: Bool
    let buffer: any FrameBuffer
}
