import CaptureModel
import Synchronization

/// How a camera is learned.
extension CaptureDevice {
    struct Calibration {
        var machine: CalibrationMachine
        /// What was in force before.
        let base: ControlValues
        var waiting: [Int: CheckedContinuation<CameraProfile, any Error>] = [:]
        /// Fits a curve, while frames go by.
        var fit: Task<Void, Never>?
    }

    /// Makes sure that the camera's delays and response are known; learns them where they are not.
    package func learnControls() async throws {
        if needsLearning { _ = try await calibrate() }
    }

    /// Whether there is something to learn before the next bracket of exposures: nothing is known, or what is known has
    /// turned out wrong.
    package var needsLearning: Bool {
        Self.metersItself(camera.capabilities) && (profile == nil || state.withLock { $0.doubt.isDue })
    }

    /// How long a calibration takes with most cameras like this one, in nanoseconds.
    package var usualCalibrationDuration: Int64 { CalibrationMachine.usualDuration(camera.capabilities) }

    /// Measures the camera's delays, response and gains, and keeps them; see ``usualCalibrationDuration``.
    ///
    /// No capture can be made meanwhile. ``DeviceProperties/calibrationProgress`` tells how far it is; cancelling the
    /// task of all who wait for it ends it, and puts the controls back.
    @discardableResult
    package func calibrate() async throws -> CameraProfile {
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
        let profile = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(id, for: settled, $0) }
        } onCancel: {
            stopWaiting(id)
        }
        return profile
    }

    private func wait(_ id: Int, for settled: Exposure, _ completion: CheckedContinuation<CameraProfile, any Error>) {
        let refusal: (any Error)? = state.withLock { state in
            guard state.isRunning else {
                return CaptureError(.sessionNotRunning, "\(uniqueID) was stopped meanwhile.")
            }
            guard state.hold == nil else {
                return CaptureError(.operationNotAllowed, "\(uniqueID) is busy with a capture.")
            }
            // Cancelled before it began, it would never hear of it.
            guard !Task.isCancelled else { return CancellationError() }
            // Whoever comes while it is measured already gets the same answer.
            let camera = camera.capabilities
            var calibration =
                state.calibration
                ?? Calibration(
                    machine: CalibrationMachine(camera: camera, base: settled), base: state.timeline.written)
            calibration.waiting[id] = completion
            state.calibration = calibration
            return nil
        }
        if let refusal { completion.resume(throwing: refusal) }
    }

    private func stopWaiting(_ id: Int) {
        let (completion, isLast) = state.withLock { state in
            let completion = state.calibration?.waiting.removeValue(forKey: id)
            return (completion, completion != nil && state.calibration?.waiting.isEmpty ?? false)
        }
        completion?.resume(throwing: CancellationError())
        guard isLast else { return }
        finishCalibration(.failure(CaptureError(.operationCancelled, "Learning \(uniqueID) was cancelled.")))
    }

    /// Uses a profile from now on, and keeps it.
    package func adopt(_ profile: CameraProfile) {
        var own = profile
        // Of others of its model the store knows better.
        own.startOffsets = profile.startOffsets?.filter { $0.key == profileKey }
        // A profile that cannot be kept is learned again at the next start.
        try? profiles.keep(own)
        properties.update {
            $0.profile = profile
            $0.capabilities.controlDelays = profile.delays
        }
    }

    /// A bracket has shown that the controls act after other numbers of frames.
    func correct(_ delays: ControlDelays) {
        guard var profile, profile.delays != delays else { return }
        profile.delays = delays
        adopt(profile)
    }

    /// A capture has ended: whether photos of it were lost because no frame was exposed as it should have been, by what
    /// the profile says.
    func note(hasMismatches: Bool) { state.withLock { $0.doubt.note(hasMismatches: hasMismatches) } }

    /// A frame while the camera is being learned.
    func calibrate(_ frame: FrameInfo, _ buffer: any FrameBuffer) {
        let grid = buffer.luminanceGrid()
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
        guard let calibration = state.withLock({ $0.calibration.take() }) else { return }
        calibration.fit?.cancel()
        switch result {
        case .success(var profile):
            profile.startOffsets = self.profile?.startOffsets
            state.withLock { $0.doubt.learned() }
            adopt(profile)
            calibration.waiting.values.forEach { $0.resume(returning: profile) }
        case .failure(let error):
            // What was tried was not wanted.
            state.withLock { state in
                state.nextOrder += 1
                state.queue.add(state.nextOrder, .write(calibration.base))
            }
            calibration.waiting.values.forEach { $0.resume(throwing: error) }
        }
        properties.update { $0.calibrationProgress = nil }
    }
}
