import CaptureModel
import Posix
import Synchronization

/// How controls are written, and held by a capture.
extension CaptureDevice {
    // MARK: Writing

    func carryOut(_ entry: ControlQueue.Entry, after frame: UInt32) {
        do {
            switch entry.order {
            case .write(let values):
                let (_, after) = try write(values, after: frame)
                let delays = delays
                let slowest = values.controls.map { delays[$0] }.max() ?? 1
                state.withLock { $0.queue.sent(entry.id, inForceOn: after &+ UInt32(slowest)) }
            case .automatic(let automatic):
                try camera.setAutomatic(automatic)
                state.withLock { $0.queue.sent(entry.id, inForceOn: frame &+ 1) }
            }
        } catch {
            state.withLock { $0.completions.removeValue(forKey: entry.id) }?.resume(throwing: error)
        }
    }

    /// Writes now, on the camera's thread, right after a frame.
    ///
    /// - Returns: what the driver made of these values, and the frame that had begun to arrive last when it had them.
    @discardableResult
    func write(
        _ values: ControlValues, after frame: UInt32
    ) throws(CaptureError) -> (applied: ControlValues, after: UInt32) {
        // Before the write: one that is refused half way has changed something all the same.
        state.withLock { _ = $0.hold?.overridden.formUnion(values.controls) }
        let applied = try camera.write(values)
        // Only what was asked for: a driver may answer with more than that.
        let landed = values.controls.reduce(ControlValues()) { applied.only($1).over(values.only($1)).over($0) }
        let delays = delays
        // A write that took longer than a frame came after later frames than the one that it was meant to follow.
        let after = frame &+ UInt32(camera.waitingFrameCount)
        state.withLock { $0.timeline.wrote(landed, after: after, delays) }
        return (landed, after)
    }

    /// Gives an order and waits until it is in force.
    ///
    /// - Returns: the start of exposure of the first frame on which it is.
    func order(_ order: ControlQueue.Order) async throws -> MonotonicTime {
        guard properties.value.isRunning else {
            // Without frames there is nothing to wait for; it acts from the first one on.
            switch order {
            case .write(let values):
                let applied = try camera.write(values)
                state.withLock { $0.timeline.wrote(applied.over(values), after: nil, delays) }
            case .automatic(let automatic):
                try camera.setAutomatic(automatic)
            }
            return MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds())
        }
        return try await withCheckedThrowingContinuation { completion in
            let isTaken = state.withLock { state in
                guard state.isRunning else { return false }
                state.nextOrder += 1
                state.completions[state.nextOrder] = completion
                state.queue.add(state.nextOrder, order)
                return true
            }
            if !isTaken {
                completion.resume(throwing: CaptureError(.sessionNotRunning, "\(uniqueID) was stopped meanwhile."))
            }
        }
    }

    /// Takes what automatics have chosen for what is set: who locks a lens, or puts it back, means where it is.
    func noteAutomatics() {
        guard let chosen = try? camera.read() else { return }
        var values = chosen.only(.focus).over(chosen.only(.whiteBalance))
        if !properties.value.capabilities.hasAutoFocus { values.lensPosition = nil }
        if !properties.value.capabilities.whiteBalance.hasAutomatic { values.whiteBalance = nil }
        state.withLock { $0.timeline.wrote(values, after: nil, delays) }
    }

    // MARK: Holding

    /// A capture takes the controls: the automatics rest until ``release(after:)``.
    ///
    /// - Parameter isStabilized: with the lens stabilisation on, whatever the device's property says.
    func hold(isStabilized: Bool) {
        guard state.withLock({ $0.hold == nil }) else { return }
        noteAutomatics()
        state.withLock { $0.hold = Hold(found: $0.timeline.written, isStabilized: isStabilized) }
        setAutomatics(isOn: false)
        if isStabilized { try? camera.setAutomatic(.lensStabilization(isOn: true)) }
    }

    /// Puts back what the capture wrote over, whatever became of it.
    func release(after frame: UInt32?) {
        guard let hold = state.withLock({ $0.hold.take() }) else { return }
        var found = hold.overridden.reduce(ControlValues()) { hold.found.only($1).over($0) }
        if isDriverMetering {
            // Its automatic chooses again; a step's exposure is nothing to go on from.
            (found.exposureDuration, found.iso, found.gain) = (nil, nil, nil)
            state.withLock { $0.timeline.forgetExposure() }
        }
        if hold.isStabilized {
            try? camera.setAutomatic(.lensStabilization(isOn: properties.value.isLensStabilizationOn))
        }
        do throws(CaptureError) {
            if found != ControlValues() { try camera.write(found) }
            let (delays, waiting) = (delays, UInt32(camera.waitingFrameCount))
            state.withLock { state in
                state.timeline.wrote(found, after: (frame ?? state.lastFrame).map { $0 &+ waiting }, delays)
            }
        } catch {
            // Refused now, it is tried again after the next frame; a camera that is gone gets it when it is back.
            state.withLock { state in
                state.timeline.wrote(found, after: nil, ControlDelays(1))
                state.nextOrder += 1
                state.queue.add(state.nextOrder, .write(found))
            }
        }
        setAutomatics(isOn: true)
    }

    /// Whether the exposure is in the driver's own hands.
    var isDriverMetering: Bool {
        let now = properties.value
        return now.capabilities.hasAutoExposure && !Self.metersItself(now.capabilities)
            && now.exposureMode == .continuousAutoExposure
    }

    /// A lens that hunts or colours that drift would tell the steps of a bracket apart.
    func setAutomatics(isOn: Bool) {
        let now = properties.value
        if isDriverMetering {
            try? camera.setAutomatic(.exposure(isOn: isOn))
        }
        if now.focusMode == .continuousAutoFocus {
            try? camera.setAutomatic(.focus(isOn: isOn, now.autoFocusRangeRestriction))
        }
        if now.whiteBalanceMode == .continuousAutoWhiteBalance {
            try? camera.setAutomatic(.whiteBalance(isOn: isOn))
        }
    }
}
