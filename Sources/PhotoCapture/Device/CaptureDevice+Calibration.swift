import CaptureModel
import Synchronization

/// How a camera is learned.
extension CaptureDevice {
    struct Calibration {
        var machine: CalibrationMachine
        /// What was in force before.
        let base: Exposure
        var waiting: [Int: CheckedContinuation<CameraProfile, any Error>] = [:]
        /// Who waits for it without anybody having asked.
        var background: Int?
        /// Whether nobody else waits.
        var isInBackground: Bool { waiting.keys.allSatisfy { $0 == background } }
        /// Fits a curve, while frames go by.
        var fit: Task<Void, Never>?
    }

    /// Makes sure that the camera's delays and response are known; learns them where they are not.
    public func learnControls() async throws {
        if needsLearning { _ = try await calibrate() }
    }

    /// Whether there is something to learn before the first bracket of exposures: all of it, or a curve that the scene did
    /// not show the last time.
    package var needsLearning: Bool {
        guard Self.metersItself(camera.capabilities) else { return false }
        guard let profile else { return true }
        return profile.source == .calibrated && profile.response == nil && state.withLock { $0.doubt.isDue }
    }

    /// Learns the camera anew where what is known of it has turned out wrong, while nothing else is to be done: the next
    /// capture that is prepared or fired ends it, see ``interruptRelearning()``.
    func relearnIfDoubtful() {
        let (isDue, turn) = state.withLock { ($0.doubt.isDue, $0.relearningTurn) }
        guard Self.metersItself(camera.capabilities), isDue else { return }
        Task { try? await calibrate(inTurn: turn) }
    }

    /// A capture needs the camera.
    func interruptRelearning() {
        let calibration = state.withLock { state in
            // One that is about to begin will not.
            state.relearningTurn += 1
            return state.calibration?.isInBackground ?? false ? state.calibration.take() : nil
        }
        if let calibration { abandon(calibration, CancellationError()) }
    }

    /// How long a calibration takes with most cameras like this one, in nanoseconds.
    public var usualCalibrationDuration: Int64 { CalibrationMachine.usualDuration(camera.capabilities) }

    /// Measures the camera's delays, response and gains, and keeps them; see ``usualCalibrationDuration``.
    ///
    /// No capture can be made meanwhile. ``DeviceProperties/calibrationProgress`` tells how far it is; cancelling the
    /// task of all who wait for it ends it, and puts the controls back.
    @discardableResult
    public func calibrate() async throws -> CameraProfile { try await calibrate(inTurn: nil) }

    /// - Parameter turn: in the background, unless another turn has begun; nil for somebody who asks.
    @discardableResult
    private func calibrate(inTurn turn: Int?) async throws -> CameraProfile {
        let camera = camera.capabilities
        guard let settled = try await settledExposure(), Self.metersItself(camera) else {
            throw CaptureError(
                .calibrationFailed,
                "\(camera.cameraID) has no exposure that can be set and seen in its pictures; there is nothing to learn."
            )
        }
        let id = state.withLock { state in
            state.nextOrder += 1
            return state.nextOrder
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, for: settled, turn, $0) }
        } onCancel: {
            stopWaiting(id)
        }
    }

    private func wait(
        _ id: Int, for settled: Exposure, _ turn: Int?,
        _ completion: CheckedContinuation<CameraProfile, any Error>
    ) {
        let refusal: (any Error)? = state.withLock { state in
            guard state.isRunning else {
                return CaptureError(.sessionNotRunning, "\(uniqueID) was stopped meanwhile.")
            }
            guard state.hold == nil else {
                return CaptureError(.operationNotAllowed, "\(uniqueID) is busy with a capture.")
            }
            // Cancelled before it began, it would never hear of it.
            guard !Task.isCancelled, turn == nil || turn == state.relearningTurn else { return CancellationError() }
            // Whoever comes while it is measured already gets the same answer.
            let camera = camera.capabilities
            var calibration =
                state.calibration
                ?? Calibration(
                    machine: CalibrationMachine(camera: camera, base: settled),
                    base: state.timeline.written.exposure)
            if turn != nil { calibration.background = id }
            calibration.waiting[id] = completion
            state.calibration = calibration
            return nil
        }
        if let refusal { completion.resume(throwing: refusal) }
    }

    private func stopWaiting(_ id: Int) {
        let (completion, abandoned) = state.withLock { state in
            let completion = state.calibration?.waiting.removeValue(forKey: id)
            let isLast = completion != nil && state.calibration?.waiting.isEmpty ?? false
            return (completion, isLast ? state.calibration.take() : nil)
        }
        if let abandoned { abandon(abandoned, CancellationError()) }
        completion?.resume(throwing: CancellationError())
    }

    /// Puts the exposure back that a calibration found; it is nobody's any more.
    private func abandon(_ calibration: Calibration, _ error: any Error) {
        calibration.fit?.cancel()
        let delays = delays
        state.withLock { state in
            // Whoever asks from now on is told what will be in force; it is written after the next frame.
            let next = state.lastFrame.map { $0 &+ 1 }
            state.timeline.wrote(ControlValues(calibration.base), after: next, delays)
            state.nextOrder += 1
            state.queue.add(state.nextOrder, .write(ControlValues(calibration.base)))
        }
        properties.update { $0.calibrationProgress = nil }
        calibration.waiting.values.forEach { $0.resume(throwing: error) }
    }

    /// Uses a profile from now on, and keeps it.
    package func adopt(_ profile: CameraProfile) {
        var own = profile
        // Of others of its model the store knows better.
        own.startOffsets = profile.startOffsets?.filter { $0.key == profileKey }
        // A profile that cannot be kept is learned again at the next start.
        try? profiles.keep(own)
        // The camera may have been given another format meanwhile.
        guard profile.pixelFormat == camera.capabilities.pixelFormat else { return }
        properties.update {
            $0.profile = profile
            $0.capabilities = Self.extended(camera.capabilities, profile)
        }
    }

    /// A bracket has shown that the controls act after other numbers of frames.
    func correct(_ delays: ControlDelays) {
        guard var profile, profile.delays != delays else { return }
        profile.delays = delays
        adopt(profile)
    }

    /// A capture has ended.
    ///
    /// - Parameters:
    ///   - hasMismatches: whether photos were lost because no frame was exposed as it should have been, by what the
    ///     profile says.
    ///   - hasVerified: whether any was proved right by it.
    func note(hasMismatches: Bool, hasVerified: Bool) {
        state.withLock { $0.doubt.note(hasMismatches: hasMismatches, hasVerified: hasVerified) }
    }

    /// A frame while the camera is being learned.
    func calibrate(_ frame: FrameInfo, _ buffer: any FrameBuffer) {
        // Behind the camera there is no time to look.
        let grid = frame.isBehind ? nil : buffer.luminanceGrid()
        let (actions, progress) = state.withLock { state in
            (state.calibration?.machine.frame(frame, grid) ?? [], state.calibration?.machine.progress)
        }
        // Observers are not woken for each frame.
        let told = properties.value.calibrationProgress ?? -1
        if let progress, abs(progress - told) >= 0.02 { properties.update { $0.calibrationProgress = progress } }
        carryOut(actions, after: frame.sequence)
    }

    private func carryOut(_ actions: [CalibrationMachine.Action], after frame: UInt32) {
        for action in actions {
            switch action {
            case .write(let values):
                do {
                    let (landed, after) = try write(values, after: frame)
                    state.withLock { $0.calibration?.machine.wrote(landed, after: after) }
                } catch {
                    finishCalibration(.failure(error))
                }
            case .fit(let shots): fit(shots)
            case .finished(let profile): finishCalibration(.success(profile))
            case .failed(let error): finishCalibration(.failure(error))
            }
        }
    }

    private func fit(_ shots: [ExposedGrid]) {
        let task = Task.detached { [self] in
            let result = Result { () throws(ResponseFit.Failure) in try ResponseFit.curve(of: shots) }
            let (actions, frame) = state.withLock { state in
                // Of a calibration that is over, nobody wants to know.
                Task.isCancelled
                    ? ([], nil) : (state.calibration?.machine.fitted(result) ?? [], state.lastFrame)
            }
            carryOut(actions, after: frame ?? 0)
        }
        state.withLock { $0.calibration?.fit = task }
    }

    private func finishCalibration(_ result: Result<CameraProfile, CaptureError>) {
        let taken = state.withLock { state in
            if state.calibration != nil { state.doubt.tried() }
            return state.calibration.take()
        }
        guard let calibration = taken else { return }
        switch result {
        case .success(let learned):
            let profile = learned.completed(by: profile)
            adopt(profile)
            properties.update { $0.calibrationProgress = nil }
            calibration.waiting.values.forEach { $0.resume(returning: profile) }
        case .failure(let error): abandon(calibration, error)
        }
    }
}

extension CameraProfile {
    /// With what an older profile of the same camera knows better: a scene that shows too little takes nothing away.
    func completed(by older: CameraProfile?) -> CameraProfile {
        var profile = self
        profile.startOffsets = older?.startOffsets
        guard let older, older.pixelFormat == pixelFormat, older.modelID == modelID else { return profile }
        if profile.response == nil, let response = older.response {
            (profile.response, profile.gains, profile.limitation) = (response, older.gains, nil)
        }
        if profile.gains.isEmpty { profile.gains = older.gains }
        return profile
    }
}
