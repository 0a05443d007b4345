import CaptureModel
import Synchronization

/// What is done with frames: decided under the output's lock, carried out with the driver and its buffer outside it.
extension PhotoOutput {
    /// What a capture wants from a frame.
    private struct Wishes {
        let capture: ActiveCapture
        let connection: Connection
        var writes: [(step: Int, values: ControlValues)] = []
        var isReference = false
        var steps: [Int] = []
    }

    func deviceDidOutput(_ frame: DeviceFrame) {
        guard let wishes = state.withLock({ wishes(for: frame, &$0) }) else { return }
        let (capture, device) = (wishes.capture, wishes.connection.device)
        if capture.holdsCamera { device.takeHold(after: frame.info.sequence) }
        if wishes.isReference { beginEvidence(capture, frame, device) }
        // First what is urgent, then what takes a copy of the picture.
        let refusal = write(wishes.writes, capture, device, after: frame.info.sequence)
        if wishes.isReference {
            wishes.connection.judge.addReference(
                capture, frame.info.sequence, frame.buffer.contents(pool), frame.values.exposure)
        }
        for step in wishes.steps {
            wishes.connection.judge.judge(
                TakenFrame(
                    capture: capture, step: step, info: frame.info, inForce: frame.values.exposure,
                    contents: frame.buffer.contents(pool)))
        }
        guard let refusal else { return }
        state.withLock { state in
            let then = capture.exposing.withLock { exposing in
                refusal.error.code == .deviceWasDisconnected
                    ? exposing.machine.abort(refusal.error) : exposing.machine.refused(refusal.step, refusal.error)
            }
            perform(then, capture, &state)
        }
    }

    /// What the first capture wants from a frame.
    private func wishes(for frame: DeviceFrame, _ state: inout State) -> Wishes? {
        guard let capture = state.captures.first, let connection = state.connection,
            state.hasRoom(for: capture, connection.device.capabilities.maxBracketedCapturePhotoCount)
        else { return nil }
        // What was overwritten is put back only after the next frame.
        let isSteady = frame.isSteady && connection.device.look(\.released.isEmpty)
        if capture.holdsCamera {
            connection.device.reserve(isStabilized: capture.prepared.settings.photo.isLensStabilizationEnabled)
        }
        // Without a curve no frame is worth waiting for, unless it is to be taken as it is.
        let isReference = isSteady || (capture.holdsCamera && capture.prepared.profile?.response == nil)
        let actions = capture.exposing.withLock {
            $0.machine.frame(frame.info, isSteady: isReference, inForce: frame.values.exposure)
        }
        var wishes = Wishes(capture: capture, connection: connection)
        var others: [BracketMachine.Action] = []
        for action in actions {
            switch action {
            case .write(let step, let values): wishes.writes.append((step, values))
            case .reference: wishes.isReference = frame.info.exposure == nil
            case .take(let step): wishes.steps.append(step)
            case .willCapture, .fail, .finish: others.append(action)
            }
        }
        state.heldFrames += wishes.steps.count
        perform(others, capture, &state)
        return wishes
    }

    func deviceDidFail(_ error: CaptureError) {
        progress.update { $0.isRunning = false }
        state.withLock { abortAll(&$0, error) }
    }

    func deviceDidStop(_ error: CaptureError) {
        progress.update { $0.isRunning = false }
        state.withLock { abortAll(&$0, error) }
    }

    /// The session is running, or running again; what was prepared before is prepared anew.
    func deviceDidStart() {
        progress.update { $0.isRunning = true }
        // Not here: the session is in the middle of its start.
        Task { [weak self] in await self?.restoreFormat() }
        resumePreparation()
    }

    func judged(_ outcome: FrameJudge.Outcome) {
        switch outcome {
        case .fit(let frame):
            state.withLock { fit(frame, &$0) }
        case .unfit(let taken, let error, let corrected):
            if let corrected { device?.run { $0.correct(corrected) } }
            state.withLock { unfit(taken, error, corrected, &$0) }
        }
    }

    private func fit(_ frame: JudgedFrame, _ state: inout State) {
        let (capture, step) = (frame.taken.capture, frame.taken.step)
        // A capture that was given up meanwhile has already paid this step.
        let isOwed = !capture.exposing.withLock { $0.machine.isRechecking(step) }
        if isOwed, state.captures.contains(where: { $0 === capture }) {
            capture.didCapture(step)
            state.connection?.processor.process(frame)
        } else {
            state.heldFrames -= 1
        }
        perform(capture.exposing.withLock { $0.machine.judged(step, .accepted) }, capture, &state)
    }

    private func unfit(
        _ taken: TakenFrame, _ error: CaptureError, _ corrected: ControlDelays?, _ state: inout State
    ) {
        state.heldFrames -= 1
        let actions = taken.capture.exposing.withLock { exposing in
            if let corrected { exposing.machine.correct(corrected) }
            let actions = exposing.machine.judged(taken.step, .rejected(error))
            if let isOther = exposing.verifier.otherExposure {
                exposing.machine.recheck { isOther($0.exposure) }
            }
            return actions
        }
        perform(actions, taken.capture, &state)
    }

    private func abortAll(_ state: inout State, _ error: CaptureError) {
        while let capture = state.captures.first {
            perform(capture.exposing.withLock { $0.machine.abort(error) }, capture, &state)
        }
    }

    /// Does what the machine says that needs no frame, under the lock: the events of one capture never interleave.
    func perform(_ actions: [BracketMachine.Action], _ capture: ActiveCapture, _ state: inout State) {
        guard let connection = state.connection else { return }
        for action in actions {
            switch action {
            case .write, .reference, .take:
                preconditionFailure("what needs a frame is done with one")
            case .willCapture(let step):
                capture.willCapture(step)
            case .fail(let step, let error):
                if error.code == .exposureMismatch { capture.exposing.withLock { $0.hasMismatches = true } }
                capture.didCapture(step)
                connection.processor.fail(capture, step, error)
            case .finish:
                finish(capture, connection, &state)
            }
        }
    }

    private func finish(_ capture: ActiveCapture, _ connection: Connection, _ state: inout State) {
        state.captures.removeAll { $0 === capture }
        progress.update { progress in
            progress.exposing.removeAll { $0.uniqueID == capture.uniqueID }
            progress.processing += 1
        }
        // Another one may hold the camera.
        if capture.holdsCamera, state.begun == capture.uniqueID { connection.device.release() }
        let retakes = capture.exposing.withLock(\.machine.retakes)
        connection.device.run { $0.counts.retakes += retakes }
        if capture.isVerified {
            let (hasMismatches, hasVerified) = capture.exposing.withLock { ($0.hasMismatches, $0.hasVerified) }
            connection.device.run { $0.doubt.note(hasMismatches: hasMismatches, hasVerified: hasVerified) }
            if state.captures.isEmpty { connection.device.relearnIfDoubtful() }
        }
        connection.processor.finish(capture)
    }

    /// Begins with the first reference frame; what was metered last is a reference as well.
    private func beginEvidence(_ capture: ActiveCapture, _ frame: DeviceFrame, _ device: CaptureDevice) {
        let metered = device.look(\.meter.newest)
        capture.exposing.withLock { exposing in
            guard exposing.evidence == nil else { return }
            exposing.evidence = DelayEvidence(initial: frame.values)
            if let metered { exposing.verifier.addReference(metered.frame, metered.grid, metered.exposure) }
        }
    }

    /// Writes what steps need, until the driver refuses: the steps after that are written anew, and everything else is
    /// still owed.
    ///
    /// - Returns: what it refused, and why.
    private func write(
        _ writes: [(step: Int, values: ControlValues)], _ capture: ActiveCapture, _ device: CaptureDevice,
        after frame: UInt32
    ) -> (step: Int, error: CaptureError)? {
        for (step, values) in writes {
            do throws(CaptureError) {
                let (applied, after) = try device.write(values, after: frame)
                capture.exposing.withLock { exposing in
                    exposing.applied[step] = applied.over(exposing.applied[step] ?? ControlValues())
                    exposing.evidence?.wrote(applied, after: after)
                    if after != frame { exposing.machine.wroteLate(step, by: after &- frame) }
                }
            } catch {
                return (step, error)
            }
        }
        return nil
    }
}
