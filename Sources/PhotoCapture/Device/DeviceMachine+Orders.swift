import CaptureModel

/// How controls are written, and held by a capture.
extension DeviceMachine {
    // MARK: Orders

    /// Gives an order: at once where no frames flow, else after the next frame that is free for it.
    ///
    /// - Parameter change: the change of mode that goes with it; made now, and undone if the camera refuses.
    /// - Returns: the id that ``Effect/complete(_:_:)`` or ``Effect/fail(_:_:)`` will name.
    mutating func give(_ order: ControlQueue.Order, _ change: ModeChange? = nil) -> Int {
        let id = nextID()
        if let change {
            change.make(&self)
            changes[id] = change
        }
        if properties.isRunning {
            queue.add(id, order)
        } else {
            emit(.tell(order, .order(id), after: nil))
        }
        return id
    }

    /// Something is about to be written: a write that is refused half way has changed something all the same.
    ///
    /// - Returns: false for a capture that is over.
    mutating func willWrite(_ values: ControlValues, for purpose: Purpose) -> Bool {
        guard case .capture = purpose else { return true }
        hold?.overridden.formUnion(values.controls)
        return hold != nil
    }

    /// Values were written.
    ///
    /// - Parameters:
    ///   - applied: what the driver answered, which may be more than was asked for.
    ///   - frame: the last one to have begun to arrive when the driver had them; nil without frames.
    /// - Returns: what it made of the values that were asked for.
    mutating func wrote(
        _ values: ControlValues, _ applied: ControlValues, for purpose: Purpose, after frame: UInt32?
    ) -> ControlValues {
        let landed = values.controls.reduce(ControlValues()) { applied.only($1).over(values.only($1)).over($0) }
        let isCurrent =
            switch purpose {
            // Nothing of a capture that a stop has ended meanwhile is to be written at the next start.
            case .capture: isHeld
            // What was in force before it is already owed.
            case .calibration(let id): calibration?.id == id
            case .order, .metering, .puttingBack: true
            }
        if isCurrent { timeline.wrote(landed, after: frame, delays) }
        return landed
    }

    /// The camera carried out an order.
    ///
    /// - Parameter landed: what it made of the values, by ``wrote(_:_:for:after:)``.
    mutating func told(
        _ order: ControlQueue.Order, _ purpose: Purpose, _ landed: ControlValues, after frame: UInt32?,
        now: MonotonicTime
    ) {
        switch purpose {
        case .order(let id):
            // Without frames there is nothing to wait for; it acts from the first one on.
            guard let frame, properties.isRunning else { return finished(id, now) }
            let slowest = order.values.controls.map { delays[$0] }.max() ?? 1
            queue.sent(id, inForceOn: frame &+ UInt32(slowest))
        case .calibration(let id):
            if let frame, calibration?.id == id { calibration?.machine.wrote(landed, after: frame) }
        case .metering, .puttingBack, .capture:
            break
        }
    }

    /// The camera refused an order.
    mutating func refused(_ order: ControlQueue.Order, _ purpose: Purpose, _ error: CaptureError) {
        switch purpose {
        case .order(let id):
            failed(id, error)
        case .metering, .capture:
            // The camera's own thread reports what became of it, or the capture does.
            break
        case .calibration(let id):
            if calibration?.id == id { finishCalibration(.failure(error)) }
        case .puttingBack:
            // It is tried once more, as soon as a frame is free for it; a camera that is gone gets it when it is back.
            timeline.wrote(order.values, after: nil, ControlDelays(1))
            if properties.isRunning { queue.add(nextID(), order) }
        }
    }

    /// An order is in force.
    mutating func finished(_ id: Int, _ time: MonotonicTime) {
        changes.removeValue(forKey: id)?.finish(&self)
        emit(.complete(id, time))
    }

    mutating func failed(_ id: Int, _ error: any Error) {
        changes.removeValue(forKey: id)?.undo(&self)
        emit(.fail(id, error))
    }

    /// Counts what automatics have chosen as set: to lock a lens, or to put it back, means where it is now.
    mutating func noteAutomatics(_ chosen: ControlValues) {
        var values = chosen.only(.focus).over(chosen.only(.whiteBalance))
        if !properties.capabilities.hasAutoFocus { values.lensPosition = nil }
        if !properties.capabilities.whiteBalance.hasAutomatic { values.whiteBalance = nil }
        timeline.wrote(values, after: nil, delays)
    }

    /// Controls were read again, or have changed: an automatic moved them, or another program.
    mutating func changed(_ values: ControlValues) {
        properties.lensPosition = values.lensPosition ?? properties.lensPosition
        // No driver says whether its automatic has settled; one that has no longer moves its choice.
        let isMoved = values.whiteBalance.map { $0 != properties.whiteBalance ?? $0 } ?? false
        properties.isAdjustingWhiteBalance =
            isMoved && properties.whiteBalanceMode == .continuousAutoWhiteBalance
        properties.whiteBalance = values.whiteBalance ?? properties.whiteBalance
    }

    // MARK: Holding

    /// A capture wants the controls for itself until ``release()``; it has them with ``takeHold(_:)``.
    ///
    /// - Parameter isStabilized: whether lens stabilisation is on meanwhile, whatever the device's property says.
    mutating func reserve(isStabilized: Bool) {
        if hold == nil, properties.isRunning { hold = Hold(isStabilized: isStabilized) }
    }

    /// Whether ``takeHold(_:)`` is still to come.
    var isHoldDue: Bool { hold != nil && hold?.found == nil }

    /// The capture's first frame has arrived: the automatics rest from now on.
    ///
    /// - Parameter automatics: what they have chosen; nil where the driver does not say.
    mutating func takeHold(_ automatics: ControlValues?) {
        guard isHoldDue else { return }
        if let automatics { noteAutomatics(automatics) }
        hold?.found = timeline.written
        setAutomatics(isOn: false)
        if hold?.isStabilized ?? false { emit(.setAutomatic(.lensStabilization(isOn: true))) }
    }

    /// The capture is over, whatever became of it; what it overwrote is put back after the next frame.
    mutating func release() {
        guard let ended = hold.take(), ended.found != nil else { return }
        released.append(ended)
    }

    /// Puts back what captures overwrote.
    mutating func putBack(after frame: UInt32) {
        for ended in released {
            if isDriverMetering { timeline.forgetExposure() }
            if ended.isStabilized {
                emit(.setAutomatic(.lensStabilization(isOn: properties.isLensStabilizationOn)))
            }
            let values = valuesToPutBack(ended)
            putBack(values, after: frame)
            setAutomatics(isOn: true)
        }
        released = []
    }

    /// Writes what is to be in force again; to whoever asks meanwhile, it already is.
    mutating func putBack(_ values: ControlValues, after frame: UInt32) {
        guard values != ControlValues() else { return }
        timeline.wrote(values, after: frame, delays)
        emit(.tell(.init(values: values), .puttingBack, after: frame))
    }

    /// Without frames: the next start writes what is to be put back, and a camera that stops puts back what it found.
    mutating func settleHolds() {
        release()
        for ended in released { timeline.wrote(valuesToPutBack(ended), after: nil, ControlDelays(1)) }
        if !released.isEmpty, isDriverMetering { timeline.forgetExposure() }
        (hold, released) = (nil, [])
    }

    func valuesToPutBack(_ ended: Hold) -> ControlValues {
        guard let found = ended.found else { return ControlValues() }
        var values = ended.overridden.reduce(ControlValues()) { found.only($1).over($0) }
        if isDriverMetering {
            // Its automatic chooses again; a step's exposure is no place to start from.
            (values.exposureDuration, values.iso, values.gain) = (nil, nil, nil)
        }
        return values
    }

    /// Whether the exposure is in the driver's own hands.
    private var isDriverMetering: Bool {
        properties.capabilities.hasAutoExposure && !metersItself
            && properties.exposureMode == .continuousAutoExposure
    }

    /// Switches automatics off or back on: a hunting lens or drifting colours would set the steps of a bracket apart.
    private mutating func setAutomatics(isOn: Bool) {
        // A mode that was set during a capture has not reached the driver yet.
        let mayBeOn = !isOn && !changes.isEmpty
        if isDriverMetering { emit(.setAutomatic(.exposure(isOn: isOn))) }
        if properties.focusMode == .continuousAutoFocus || mayBeOn && camera.hasAutoFocus {
            emit(.setAutomatic(.focus(isOn: isOn, properties.autoFocusRangeRestriction)))
        }
        if properties.whiteBalanceMode == .continuousAutoWhiteBalance || mayBeOn && camera.whiteBalance.hasAutomatic {
            emit(.setAutomatic(.whiteBalance(isOn: isOn)))
        }
    }
}
