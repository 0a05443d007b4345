import CaptureModel

/// How a camera is learned.
extension DeviceMachine {
    struct Calibration: Sendable {
        let id: Int
        var machine: CalibrationMachine
        /// What was in force before.
        let base: Exposure
        /// Who waits for it.
        var waiting: Set<Int> = []
        /// The one among them that learns in the background.
        var background: Int?
        /// The result of a fit, until the next frame: the camera is only told something after a frame.
        var fitted: Result<ResponseFit.Finding, ResponseFit.Failure>?
    }

    /// Whether there is something to learn before the first bracket of exposures: everything, or a curve that the scene
    /// did not show last time.
    var needsLearning: Bool {
        guard metersItself else { return false }
        guard let profile = properties.profile else { return true }
        return profile.source == .calibrated && profile.response == nil && doubt.isDue
    }

    /// Waits for the camera to be learned, and begins to learn it where nobody waits yet.
    ///
    /// - Parameters:
    ///   - id: a ``nextID()``, which ``Effect/calibrated(_:_:)`` will name.
    ///   - turn: for learning in the background, unless another turn has begun; nil for a caller who asks.
    /// - Throws: why it cannot be learned now.
    mutating func awaitCalibration(_ id: Int, from settled: Exposure, turn: Int?) throws {
        guard properties.isRunning else {
            throw CaptureError(.sessionNotRunning, "\(camera.cameraID) was stopped meanwhile; start its session first.")
        }
        guard hold == nil else {
            throw CaptureError(
                .operationNotAllowed, "\(camera.cameraID) is busy with a capture; try again when it is over.")
        }
        guard turn == nil || turn == relearningTurn else { throw CancellationError() }
        // Whoever comes while it is already being learned gets the same answer.
        var joined =
            calibration
            ?? Calibration(
                id: id, machine: CalibrationMachine(camera: camera, base: settled), base: chosen.exposure)
        if turn != nil { joined.background = id }
        joined.waiting.insert(id)
        calibration = joined
    }

    /// Somebody no longer waits; with the last one, the calibration ends.
    mutating func leaveCalibration(_ id: Int) {
        guard calibration?.waiting.remove(id) != nil else { return }
        emit(.calibrated([id], .failure(CancellationError())))
        if calibration?.waiting.isEmpty ?? false { abandonCalibration(CancellationError()) }
    }

    /// A capture needs the camera: learning in the background ends, and what is about to begin will not.
    mutating func interruptRelearning() {
        relearningTurn += 1
        if let calibration, calibration.waiting.allSatisfy({ $0 == calibration.background }) {
            abandonCalibration(CancellationError())
        }
    }

    /// A frame while the camera is being learned.
    mutating func calibrate(_ frame: FrameInfo, _ grid: LuminanceGrid?) {
        var actions = calibration?.machine.frame(frame, grid) ?? []
        if let fitted = calibration?.fitted.take() { actions += calibration?.machine.fitted(fitted) ?? [] }
        carryOut(actions, after: frame.sequence)
        // Observers are not woken for each frame.
        let told = properties.calibrationProgress ?? -1
        if let progress = calibration?.machine.progress, abs(progress - told) >= 0.02 {
            properties.calibrationProgress = progress
        }
    }

    /// A curve was fitted to what was seen, or could not be; it is used with the next frame.
    mutating func fitted(_ result: Result<ResponseFit.Finding, ResponseFit.Failure>, of id: Int) {
        // Nobody wants to know about a calibration that is over.
        if calibration?.id == id { calibration?.fitted = result }
    }

    private mutating func carryOut(_ actions: [CalibrationMachine.Action], after frame: UInt32) {
        let isOver = actions.contains { if case .finished = $0 { true } else { false } }
        for action in actions {
            guard let id = calibration?.id else { return }
            switch action {
            case .write(let values) where isOver: putBack(values, after: frame)
            case .write(let values): emit(.tell(.init(values: values), .calibration(id), after: frame))
            case .fit(let shots): emit(.fit(shots, calibration: id))
            case .finished(let profile): finishCalibration(.success(profile))
            case .failed(let error): finishCalibration(.failure(error))
            }
        }
    }

    mutating func finishCalibration(_ result: Result<CameraProfile, CaptureError>) {
        guard let ended = calibration else { return }
        doubt.tried()
        switch result {
        case .success(let learned):
            let profile = learned.completed(by: properties.profile)
            calibration = nil
            properties.calibrationProgress = nil
            adopt(profile)
            emit(.calibrated(ended.waiting.sorted(), .success(profile)))
        case .failure(let error):
            abandonCalibration(error)
        }
    }

    /// Ends a calibration, and puts back the exposure that it found.
    private mutating func abandonCalibration(_ error: any Error) {
        guard let ended = calibration.take() else { return }
        // Whoever asks from now on is told what will be in force; it is written after the next frame.
        timeline.wrote(ControlValues(ended.base), after: lastFrame.map { $0 &+ 1 }, delays)
        queue.add(nextID(), .init(values: ControlValues(ended.base)))
        properties.calibrationProgress = nil
        emit(.calibrated(ended.waiting.sorted(), .failure(error)))
    }
}

extension CameraProfile {
    /// Adds what an older profile of the same camera knows better: a scene that shows too little takes nothing away.
    func completed(by older: CameraProfile?) -> CameraProfile {
        var profile = self
        (profile.startOffsets, profile.lamps) = (older?.startOffsets, older?.lamps)
        guard let older, older.pixelFormat == pixelFormat, older.modelID == modelID else { return profile }
        if profile.response == nil, let response = older.response {
            (profile.response, profile.gains, profile.limitation) = (response, older.gains, nil)
        }
        if profile.gains.isEmpty { profile.gains = older.gains }
        return profile
    }
}
