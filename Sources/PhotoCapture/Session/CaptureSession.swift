public import CaptureModel
import Posix
import Synchronization

/// Connects a device with outputs, and starts and stops the flow of frames. Apple: `AVCaptureSession`.
///
/// ```
/// stopped --startRunning()--> running --the camera fails--> interrupted --it is back--> running
///    ^                          |                              |
///    +------ stopRunning() -----+------------------------------+
/// ```
public final class CaptureSession: DeviceOutput {
    /// What happens to a session. Apple: the notifications of `AVCaptureSession`.
    public enum Event: Hashable, Sendable {
        case didStartRunning
        case didStopRunning
        /// The camera failed, for this reason; the session looks for it until it is back.
        case wasInterrupted(CaptureError)
        case interruptionEnded
    }

    private enum Phase: Hashable {
        case stopped, running, interrupted
    }

    private enum Change: Sendable {
        case input(CaptureDevice)
        case photoOutput(PhotoOutput)
        case videoDataOutput(VideoDataOutput)
        case format(CameraFormat, frameDuration: Int64?)
    }

    private struct State {
        var phase = Phase.stopped
        var configurationDepth = 0
        /// What waits for ``commitConfiguration()``.
        var changes: [Change] = []
        var device: CaptureDevice?
        var photoOutputs: [PhotoOutput] = []
        var videoDataOutputs: [VideoDataOutput] = []
        var recovery: Task<Void, Never>?
    }

    private let state = Mutex(State())
    /// Start, stop, recovery and changes of format, one at a time: each of them takes a while.
    private let operations = Mutex(())
    private let retryInterval: Duration
    /// What happens, in order; for one reader.
    public let events: AsyncStream<Event>
    private let happenings: AsyncStream<Event>.Continuation

    /// - Parameter retryInterval: how often a lost camera is looked for.
    public init(retryInterval: Duration = .seconds(1)) {
        self.retryInterval = retryInterval
        (events, happenings) = AsyncStream<Event>.makeStream(bufferingPolicy: .bufferingNewest(64))
    }

    deinit {
        happenings.finish()
        state.withLock { $0.recovery }?.cancel()
    }

    /// Whether frames flow.
    public var isRunning: Bool { state.withLock { $0.phase == .running } }

    /// Whether the camera was lost; the session resumes by itself when it is back.
    public var isInterrupted: Bool { state.withLock { $0.phase == .interrupted } }

    // MARK: Configuration

    /// Collects changes until ``commitConfiguration()``, which makes them all at once. May be nested.
    public func beginConfiguration() {
        let outputs = state.withLock { state in
            state.configurationDepth += 1
            return state.photoOutputs
        }
        outputs.forEach { $0.setConfiguring(true) }
    }

    /// Makes the changes since the outermost ``beginConfiguration()``.
    ///
    /// A change of format ends captures under way; a running session resumes in the new format.
    public func commitConfiguration() throws(CaptureError) {
        let changes = state.withLock { state -> [Change]? in
            precondition(state.configurationDepth > 0, "commitConfiguration() without beginConfiguration()")
            state.configurationDepth -= 1
            guard state.configurationDepth == 0 else { return nil }
            defer { state.changes = [] }
            return state.changes
        }
        guard let changes else { return }
        defer { state.withLock { $0.photoOutputs }.forEach { $0.setConfiguring(false) } }
        for change in changes { try make(change) }
    }

    /// Gives the session its camera; it has only one.
    public func addInput(_ device: CaptureDevice) throws(CaptureError) { try makeOrKeep(.input(device)) }

    /// Lets an output take photos from the camera.
    public func addOutput(_ output: PhotoOutput) throws(CaptureError) { try makeOrKeep(.photoOutput(output)) }

    /// Lets an output see every frame.
    public func addOutput(_ output: VideoDataOutput) throws(CaptureError) { try makeOrKeep(.videoDataOutput(output)) }

    /// Switches the camera to another of its formats.
    ///
    /// - Parameters:
    ///   - format: one of ``CaptureDevice/formats``.
    ///   - frameDuration: in nanoseconds; nil for the shortest on offer.
    public func setActiveFormat(_ format: CameraFormat, frameDuration: Int64? = nil) throws(CaptureError) {
        try makeOrKeep(.format(format, frameDuration: frameDuration))
    }

    private func makeOrKeep(_ change: Change) throws(CaptureError) {
        let isKept = state.withLock { state in
            guard state.configurationDepth > 0 else { return false }
            state.changes.append(change)
            return true
        }
        if !isKept { try make(change) }
    }

    private func make(_ change: Change) throws(CaptureError) {
        switch change {
        case .input(let device):
            let (photoOutputs, videoDataOutputs) = state.withLock { state in
                precondition(state.device == nil, "a session has one camera")
                state.device = device
                return (state.photoOutputs, state.videoDataOutputs)
            }
            device.add(self)
            photoOutputs.forEach { connect($0, device) }
            videoDataOutputs.forEach { $0.connect(to: device) }
        case .photoOutput(let output):
            let device = state.withLock { state in
                state.photoOutputs.append(output)
                return state.device
            }
            if let device { connect(output, device) }
        case .videoDataOutput(let output):
            let device = state.withLock { state in
                state.videoDataOutputs.append(output)
                return state.device
            }
            if let device { output.connect(to: device) }
        case .format(let format, let frameDuration):
            try switchFormat(format, frameDuration)
        }
    }

    private func switchFormat(_ format: CameraFormat, _ frameDuration: Int64?) throws(CaptureError) {
        guard let device = state.withLock({ $0.device }) else { throw Self.noCamera }
        let failure = operations.withLock { _ -> CaptureError? in
            let wasRunning = isRunning
            if wasRunning { device.stopRunning(.sessionConfigurationChanged) }
            if isInterrupted { device.camera.stopRunning() }
            do throws(CaptureError) {
                try device.setFormat(format, frameDuration: frameDuration)
                if wasRunning { try device.startRunning() }
            } catch {
                // A camera that does not resume is looked for like one that was lost.
                if wasRunning { interrupt(error) }
                return error
            }
            if wasRunning { announceStart() }
            return nil
        }
        if let failure { throw failure }
    }

    private func announceStart() {
        state.withLock { $0.photoOutputs }.forEach { $0.deviceDidStart() }
    }

    private func connect(_ output: PhotoOutput, _ device: CaptureDevice) {
        output.connect(to: device) { [weak self] format, frameDuration in
            guard let self else { return }
            try await OSThread.run(name: "camera-format") { try self.switchFormat(format, frameDuration) }
        }
        if isRunning { output.deviceDidStart() }
    }

    // MARK: Running

    private static let noCamera = CaptureError(.deviceNotConnected, "The session has no camera; add one first.")

    /// Starts the flow of frames. Blocks until the camera has answered, which takes some drivers seconds.
    ///
    /// - Throws: ``CaptureError`` with `operationNotAllowed` between begin and commit of a configuration.
    public func startRunning() throws(CaptureError) {
        let device = try idleDevice()
        let failure = operations.withLock { _ -> CaptureError? in
            let (phase, recovery) = state.withLock { ($0.phase, $0.recovery.take()) }
            guard phase != .running else { return nil }
            recovery?.cancel()
            if phase == .interrupted { device.camera.stopRunning() }
            do throws(CaptureError) {
                try device.startRunning()
            } catch {
                state.withLock { $0.phase = .stopped }
                return error
            }
            state.withLock { $0.phase = .running }
            happenings.yield(.didStartRunning)
            announceStart()
            if let failure = device.properties.value.failure { interrupt(failure) }
            return nil
        }
        if let failure { throw failure }
    }

    /// Stops the flow of frames; captures under way end with errors.
    public func stopRunning() throws(CaptureError) {
        let device = try idleDevice()
        operations.withLock { _ in
            let (wasStopped, recovery) = state.withLock { state in
                defer { (state.phase, state.recovery) = (.stopped, nil) }
                return (state.phase == .stopped, state.recovery)
            }
            guard !wasStopped else { return }
            recovery?.cancel()
            device.stopRunning(.sessionNotRunning)
            happenings.yield(.didStopRunning)
        }
    }

    /// Restarts the stream at an instant, so that its frames lie where they are wanted. Blocks until then.
    ///
    /// - Returns: false where there is a capture under way, or no stream; then nothing was done.
    package func restart(at time: MonotonicTime) throws(CaptureError) -> Bool {
        let device = try idleDevice()
        let result = operations.withLock { _ -> Result<Bool, CaptureError> in
            guard isRunning, state.withLock({ $0.photoOutputs }).allSatisfy({ $0.progress.value.exposing.isEmpty })
            else {
                return .success(false)
            }
            device.stopRunning(.sessionConfigurationChanged)
            do throws(CaptureError) {
                try device.startRunning(at: time)
            } catch {
                interrupt(error)
                return .failure(error)
            }
            announceStart()
            return .success(true)
        }
        return try result.get()
    }

    private func idleDevice() throws(CaptureError) -> CaptureDevice {
        let (device, isConfiguring) = state.withLock { ($0.device, $0.configurationDepth > 0) }
        guard !isConfiguring else {
            throw CaptureError(
                .operationNotAllowed, "The session is being configured; commit that before starting or stopping it.")
        }
        guard let device else { throw Self.noCamera }
        return device
    }

    // MARK: Interruption

    func deviceDidOutput(_ frame: DeviceFrame) {}

    func deviceDidFail(_ error: CaptureError) { interrupt(error) }

    private func interrupt(_ error: CaptureError) {
        let isNew = state.withLock { state in
            guard state.phase == .running else { return false }
            state.phase = .interrupted
            state.recovery = Task { [weak self, retryInterval] in
                while !Task.isCancelled {
                    // A driver may take seconds to answer.
                    let isOver = try? await OSThread.run(name: "camera-recovery") { [weak self] in
                        self?.recover() ?? true
                    }
                    guard isOver == false else { return }
                    // The interval at which a lost camera is looked for; no driver says that it is well again.
                    try? await Task.sleep(for: retryInterval)
                }
            }
            return true
        }
        if isNew { happenings.yield(.wasInterrupted(error)) }
    }

    /// Tries to resume.
    ///
    /// - Returns: whether there is nothing more to try.
    private func recover() -> Bool {
        operations.withLock { _ in
            // It may have been stopped, or started, meanwhile.
            guard isInterrupted, let device = state.withLock({ $0.device }) else { return true }
            device.camera.stopRunning()
            device.turn()
            guard (try? device.startRunning()) != nil else { return false }
            state.withLock { ($0.phase, $0.recovery) = (.running, nil) }
            happenings.yield(.interruptionEnded)
            announceStart()
            // It may have failed again before anybody counted it as running.
            if let failure = device.properties.value.failure { interrupt(failure) }
            return true
        }
    }
}
