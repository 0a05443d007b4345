public import CaptureModel
import Posix
import Synchronization

/// A camera as its user sees it: modes, values that can be observed, an automatic exposure. Apple: `AVCaptureDevice`.
///
/// Everything that is written to a running camera goes through here, on the camera's own thread and right after a frame
/// has arrived, so that it is known what is in force on every frame. A capture holds the controls while it lasts; then
/// they are put back. `DeviceMachine` decides; this is its shell, which holds no lock while it talks to the driver.
public final class CaptureDevice: CameraObserver {
    /// The driver that it controls.
    package let camera: any Camera
    /// Everything that can be observed.
    public let properties: Observed<DeviceProperties>
    private let profiles: any ProfileStore
    let state: Mutex<State>
    private let turned = Atomic(Clocks.monotonicNanoseconds())

    struct State {
        var machine: DeviceMachine
        var completions: [Int: CheckedContinuation<MonotonicTime, any Error>] = [:]
        var calibrations: [Int: CheckedContinuation<CameraProfile, any Error>] = [:]
        var outputs: [WeakOutput] = []
        /// Ends when every profile up to now is in its file.
        var keeping: Task<Void, Never>?
    }

    /// Outputs belong to whoever made them, and hold the device.
    struct WeakOutput {
        weak var output: (any DeviceOutput)?
    }

    /// - Parameters:
    ///   - profiles: where what was learned about cameras is kept.
    ///   - counts: what the camera in whose place it comes has delivered.
    package init(
        _ camera: any Camera, profiles: any ProfileStore = NoProfileStore(), counts: CameraCounts = CameraCounts()
    ) {
        self.camera = camera
        self.profiles = profiles
        let capabilities = camera.capabilities
        var machine = DeviceMachine(
            capabilities, profile: profiles.profile(of: capabilities) ?? CameraProfile(known: capabilities))
        machine.counts = counts
        state = Mutex(State(machine: machine))
        properties = Observed(machine.properties)
    }

    /// The camera's name in a configuration; stable as long as the name is.
    public var uniqueID: String { camera.capabilities.cameraID }

    /// What cameras of this model are called.
    public var modelID: String { camera.capabilities.modelID }

    /// What the camera can do, with what the core adds: it meters where the driver cannot.
    public var capabilities: CameraCapabilities { properties.value.capabilities }

    /// What the camera can be switched to, the active format among them; see ``CaptureSession/setActiveFormat(_:frameDuration:)``.
    public var formats: [CameraFormat] { camera.formats }

    /// When the camera last did something: a frame arrived, or its driver answered.
    package var lastTurn: MonotonicTime { MonotonicTime(nanoseconds: turned.load(ordering: .relaxed)) }

    func turn() { turned.store(Clocks.monotonicNanoseconds(), ordering: .relaxed) }

    /// What was learned about the camera; nil while nothing was.
    public var profile: CameraProfile? { properties.value.profile }

    /// What it has delivered, and those before it.
    package var counts: CameraCounts { look(\.counts) }

    /// Adds to the correction of the timestamps, and keeps it.
    ///
    /// - Parameter lamp: how well starts are then known; nil where nobody can say.
    /// - Throws: ``CaptureError`` where it was measured by the camera's own clock, which stamps nothing now.
    package func moveStart(by nanoseconds: Int64, lamp: LampMeasurement?) async throws {
        try await learnControls()
        let isKept = run { $0.moveStart(by: nanoseconds, lamp) }
        guard isKept else {
            throw CaptureError(
                .operationNotAllowed,
                "The start was measured by the clock of \(uniqueID), which has stamped nothing since; measure again.")
        }
    }

    /// Uses a profile from now on, and keeps it.
    package func adopt(_ profile: CameraProfile) { run { $0.adopt(profile) } }

    // MARK: Outputs

    func add(_ output: any DeviceOutput) {
        state.withLock { state in
            state.outputs.removeAll { $0.output == nil }
            state.outputs.append(WeakOutput(output: output))
        }
    }

    func remove(_ output: any DeviceOutput) {
        state.withLock { $0.outputs.removeAll { $0.output === output } }
    }

    private var outputs: [any DeviceOutput] { state.withLock { $0.outputs.compactMap(\.output) } }

    // MARK: The machine

    /// Asks the machine something.
    func look<Answer: Sendable>(_ body: (DeviceMachine) -> Answer) -> Answer { state.withLock { body($0.machine) } }

    /// Tells the machine something, publishes what has changed, and does what follows.
    @discardableResult
    func run<Answer: Sendable, Failure>(
        _ body: (inout DeviceMachine) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        let (answer, effects) = try state.withLock { state throws(Failure) in
            let answer = try body(&state.machine)
            return (answer, drain(&state))
        }
        effects.forEach(carryOut)
        return answer
    }

    /// Under the lock, so that what is published last is what happened last.
    private func drain(_ state: inout State) -> [DeviceMachine.Effect] {
        let now = state.machine.properties
        properties.update { $0 = now }
        return state.machine.takeEffects()
    }

    private func carryOut(_ effect: DeviceMachine.Effect) {
        switch effect {
        case .tell(let order, let purpose, let frame):
            tell(order, purpose, after: frame)
        case .setAutomatic(let automatic):
            try? camera.setAutomatic(automatic)
        case .setFrameDuration(let duration):
            var values = ControlValues()
            values.frameDuration = duration
            // One that is refused now is written again with the next frame.
            _ = try? camera.write(values)
        case .readAutomatics:
            if let chosen = try? camera.read() { run { $0.noteAutomatics(chosen) } }
        case .askFocus:
            do {
                let told = try camera.isFocusing()
                run { $0.focusing(told) }
            } catch {
                // A driver that fails to answer now gets another chance later.
            }
        case .complete(let id, let time):
            state.withLock { $0.completions.removeValue(forKey: id) }?.resume(returning: time)
        case .fail(let id, let error):
            state.withLock { $0.completions.removeValue(forKey: id) }?.resume(throwing: error)
        case .keep(let profile):
            keep(profile)
        case .fit(let shots, let calibration):
            Task.detached {
                let result = Result { () throws(ResponseFit.Failure) in try ResponseFit.curve(of: shots) }
                self.run { $0.fitted(result, of: calibration) }
            }
        case .calibrated(let ids, let result):
            let (waiting, keeping) = state.withLock { state in
                (ids.compactMap { state.calibrations.removeValue(forKey: $0) }, state.keeping)
            }
            // Whoever exits once it is learned must not exit before it is kept.
            Task {
                await keeping?.value
                waiting.forEach { $0.resume(with: result) }
            }
        }
    }

    /// One at a time, and off the camera's thread: a disk may be slow.
    private func keep(_ profile: CameraProfile) {
        state.withLock { state in
            state.keeping = Task { [profiles, former = state.keeping] in
                await former?.value
                // A profile that cannot be kept is learned again at the next start.
                try? await OSThread.run(name: "profile") { try profiles.keep(profile) }
            }
        }
    }

    private func tell(_ order: ControlQueue.Order, _ purpose: DeviceMachine.Purpose, after frame: UInt32?) {
        do throws(CaptureError) {
            if let automatic = order.automatic { try camera.setAutomatic(automatic) }
            var (landed, after) = (ControlValues(), frame)
            if order.values != landed { (landed, after) = try write(order.values, for: purpose, after: frame) }
            let now = MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
            run { $0.told(order, purpose, landed, after: after, now: now) }
        } catch {
            run { $0.refused(order, purpose, error) }
        }
    }

    private func write(
        _ values: ControlValues, for purpose: DeviceMachine.Purpose, after frame: UInt32?
    ) throws(CaptureError) -> (landed: ControlValues, after: UInt32?) {
        guard run({ $0.willWrite(values, for: purpose) }) else {
            throw CaptureError(.operationCancelled, "The capture was given up before its controls were written.")
        }
        let applied = try camera.write(values)
        // A write that took longer than a frame came after later frames than the one it was meant to follow.
        let after = frame.map { $0 &+ UInt32(camera.waitingFrameCount) }
        return (run { $0.wrote(values, applied, for: purpose, after: after) }, after)
    }

    /// Gives an order, and waits until it is in force.
    ///
    /// - Parameter give: what ``DeviceMachine/give(_:_:)`` returned; nil where there is nothing to wait for.
    /// - Returns: the start of exposure of the first frame on which it is.
    @discardableResult
    func order(
        _ give: (inout DeviceMachine) throws(CaptureDeviceError) -> Int?
    ) async throws -> MonotonicTime {
        try await withCheckedThrowingContinuation { completion in
            do throws(CaptureDeviceError) {
                let effects = try state.withLock { state throws(CaptureDeviceError) in
                    if let id = try give(&state.machine) {
                        state.completions[id] = completion
                    } else {
                        completion.resume(returning: MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()))
                    }
                    return drain(&state)
                }
                effects.forEach(carryOut)
            } catch {
                completion.resume(throwing: error)
            }
        }
    }

    /// Waits for the camera to be learned; see ``DeviceMachine/awaitCalibration(_:from:turn:)``.
    func awaitCalibration(from settled: Exposure, turn: Int?) async throws -> CameraProfile {
        let id = run { $0.nextID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { completion in
                do {
                    try state.withLock { state in
                        // A task that was cancelled before this would never hear of it.
                        try Task.checkCancellation()
                        try state.machine.awaitCalibration(id, from: settled, turn: turn)
                        state.calibrations[id] = completion
                    }
                } catch {
                    completion.resume(throwing: error)
                }
            }
        } onCancel: {
            run { $0.leaveCalibration(id) }
        }
    }

    // MARK: Start and stop

    /// Starts the flow of frames, with the controls as they were before it ended.
    ///
    /// - Parameter time: the instant at which the stream is to begin; nil for at once.
    func startRunning(at time: MonotonicTime? = nil) throws(CaptureError) {
        let former = run { $0.willStart() }
        defer { turn() }
        try camera.startRunning(observer: self, at: time)
        turn()
        do throws(CaptureError) {
            if let isOn = try camera.isLensStabilized() { run { $0.foundStabilization(isOn: isOn) } }
            for automatic in look(\.startingAutomatics) { try camera.setAutomatic(automatic) }
            turn()
            let found = try camera.read()
            turn()
            let values = look { $0.startingValues(former, found: found) }
            let applied = values.write == ControlValues() ? values.write : try camera.write(values.write)
            let capabilities = camera.capabilities
            run { $0.didStart(capabilities, applied.over(values.all)) }
        } catch {
            camera.stopRunning()
            throw error
        }
    }

    /// Ends the flow of frames, for this reason.
    func stopRunning(_ reason: CaptureError.Code) {
        let error =
            reason == .sessionConfigurationChanged
            ? CaptureError(reason, "The session was switched to another format meanwhile; try again.")
            : CaptureError(reason, "The capture session was stopped.")
        run { $0.stop(error) }
        for output in outputs { output.deviceDidStop(error) }
        // It puts back what it found.
        camera.stopRunning()
    }

    /// Switches the camera to another format.
    func setFormat(_ format: CameraFormat, frameDuration: Int64?) throws(CaptureError) {
        try camera.setFormat(format, frameDuration: frameDuration)
        let camera = camera.capabilities
        let stored = profiles.profile(of: camera) ?? CameraProfile(known: camera)
        run { $0.setFormat(camera, stored: stored) }
    }

    // MARK: CameraObserver

    /// Carries out what waited for a frame, meters it where that is wanted, and hands it to the outputs.
    package func cameraDidOutput(_ seen: FrameInfo, _ buffer: any FrameBuffer) {
        Failpoint.frameArrived.pass()
        turn()
        let arrival = run { $0.frame(seen) }
        let isWanted = run { $0.wantsLuminance(of: arrival.frame) }
        let grid = isWanted ? buffer.luminanceGrid() : nil
        run { machine in
            machine.saw(grid, of: arrival)
            machine.follow(arrival)
        }
        guard !arrival.isCalibrating else { return }
        let frame = DeviceFrame(
            info: arrival.frame, values: arrival.values, isSteady: arrival.isSteady, isHeld: arrival.isHeld,
            buffer: buffer)
        for output in outputs { output.deviceDidOutput(frame) }
    }

    /// Takes over what an automatic or another program has set.
    package func cameraDidChange(_ values: ControlValues) {
        run { $0.changed(values) }
    }

    /// Ends everything that waits for frames, and tells the outputs.
    package func cameraDidFail(_ error: CaptureError) {
        turn()
        run { $0.stop(error, isFailure: true) }
        for output in outputs { output.deviceDidFail(error) }
    }
}

/// What a capture does with the device.
extension CaptureDevice {
    /// How far from their reported starts the exposures of a capture may begin; nil before the first frame.
    ///
    /// - Parameter bound: the uncertainty of the clock on which they will be reported, in nanoseconds.
    package func startUncertainty(of capture: PreparedCapture, within bound: Int64) -> StartUncertainty? {
        let starts = look { machine in
            capture.steps.compactMap { machine.nextStart($0.values.exposureDuration)?.known(within: bound) }
        }
        guard let by = starts.map(\.nanoseconds).max() else { return nil }
        let worst = starts.compactMap(\.relative).max { $0.nanoseconds < $1.nanoseconds }
        return StartUncertainty(nanoseconds: by, relative: starts.contains { $0.relative == nil } ? nil : worst)
    }

    /// Reserves the controls for a capture until ``release()``; the driver is told nothing yet.
    func reserve(isStabilized: Bool) { run { $0.reserve(isStabilized: isStabilized) } }

    /// Takes the reserved controls; on the camera's thread, after a frame.
    func takeHold(after frame: UInt32) {
        run { $0.putBack(after: frame) }
        guard look(\.isHoldDue) else { return }
        let automatics = try? camera.read()
        run { $0.takeHold(automatics) }
    }

    /// Writes for a capture, on the camera's thread, after a frame.
    ///
    /// - Returns: what the driver made of these values, and the last frame to have begun to arrive by then.
    func write(
        _ values: ControlValues, after frame: UInt32
    ) throws(CaptureError) -> (landed: ControlValues, after: UInt32) {
        let (landed, after) = try write(values, for: .capture, after: frame)
        return (landed, after ?? frame)
    }

    /// Gives the controls up; what was overwritten is put back after the next frame.
    func release() { run { $0.release() } }
}
