public import CaptureModel

extension CaptureDevice {
    /// Takes the right to set properties; nobody else has it until ``unlockForConfiguration()``.
    ///
    /// - Throws: ``CaptureDeviceError`` with `lockedByAnother`. Nested calls are refused as well.
    public func lockForConfiguration() throws(CaptureDeviceError) {
        try run { machine throws(CaptureDeviceError) in
            guard !machine.isLocked else {
                throw CaptureDeviceError(
                    .lockedByAnother, "\(uniqueID) is already locked for configuration; wait until it is unlocked.")
            }
            machine.isLocked = true
        }
    }

    /// Lets others configure the device.
    public func unlockForConfiguration() { run { $0.isLocked = false } }

    // MARK: Exposure

    /// Whether ``setExposureMode(_:)`` takes a mode.
    public func isExposureModeSupported(_ mode: ExposureMode) -> Bool { look { $0.isSupported(mode) } }

    /// Sets who controls the exposure; a point of interest that was set takes effect from now on.
    ///
    /// - Throws: ``CaptureDeviceError`` for a mode that the device does not have; `custom` is set with
    ///   ``setExposureModeCustom(duration:iso:gain:)``.
    public func setExposureMode(_ mode: ExposureMode) async throws {
        try await order { machine throws(CaptureDeviceError) in try machine.setExposureMode(mode) }
    }

    /// Sets duration and ISO; the only way to set either. Apple: `setExposureModeCustom(duration:iso:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - duration: how long each line of a frame is exposed.
    ///   - iso: the sensitivity, for a camera that has a calibrated one.
    ///   - gain: in the driver's own unit, for a camera that has no ISO.
    /// - Returns: the start of the first frame that is exposed with them, on CLOCK_MONOTONIC. Calls return in the order
    ///   in which they were made.
    /// - Throws: ``CaptureDeviceError`` for values outside the active format's ranges.
    @discardableResult
    public func setExposureModeCustom(
        duration: Requested<ExposureDuration> = .current, iso: Requested<Double> = .current,
        gain: Requested<Double> = .current
    ) async throws -> MonotonicTime {
        try await order { machine throws(CaptureDeviceError) in
            try machine.setExposureModeCustom(duration: duration.value, iso: iso.value, gain: gain.value)
        }
    }

    /// Moves the automatic's target, in EV; in custom mode it moves only the metered offset.
    public func setExposureTargetBias(_ bias: Requested<Double>) throws {
        try run { machine throws(CaptureDeviceError) in try machine.setExposureTargetBias(bias.value) }
    }

    /// Sets where the automatic meters; takes effect when an automatic mode is next set, as Apple's does.
    public func setExposurePointOfInterest(_ point: Point) throws {
        try run { machine throws(CaptureDeviceError) in try machine.setExposurePointOfInterest(point) }
    }

    /// Limits the automatic's exposures; nil for the format's own limit.
    public func setActiveMaxExposureDuration(_ duration: ExposureDuration?) throws {
        try run { machine throws(CaptureDeviceError) in try machine.setActiveMaxExposureDuration(duration) }
    }

    // MARK: Focus

    /// Whether ``setFocusMode(_:)`` takes a mode.
    public func isFocusModeSupported(_ mode: FocusMode) -> Bool { look { $0.isSupported(mode) } }

    /// Sets who moves the lens. Once it has focused, `autoFocus` becomes `locked`; a driver that does not report
    /// that is given a second.
    public func setFocusMode(_ mode: FocusMode) async throws {
        try await order { machine throws(CaptureDeviceError) in try machine.setFocusMode(mode) }
    }

    /// V4L2 has no control for where to focus.
    public var isFocusPointOfInterestSupported: Bool { false }

    /// V4L2 has no control for how fast a lens moves.
    public var isSmoothAutoFocusSupported: Bool { false }

    /// Moves the lens: 0 nearest, 1 furthest.
    ///
    /// - Returns: the start of the first frame after the lens was told to move; it may still be moving then, and V4L2
    ///   does not say for how long.
    @discardableResult
    public func setFocusModeLocked(lensPosition: Requested<Double>) async throws -> MonotonicTime {
        try await order { machine throws(CaptureDeviceError) in try machine.lockFocus(lensPosition.value) }
    }

    /// Limits the distances that the autofocus searches; takes effect when an automatic focus mode is next set.
    public func setAutoFocusRangeRestriction(_ restriction: AutoFocusRangeRestriction) throws {
        try run { machine throws(CaptureDeviceError) in try machine.setAutoFocusRangeRestriction(restriction) }
    }

    // MARK: White balance

    /// Whether ``setWhiteBalanceMode(_:)`` takes a mode.
    public func isWhiteBalanceModeSupported(_ mode: WhiteBalanceMode) -> Bool { look { $0.isSupported(mode) } }

    /// Sets who balances the colours. With the order to do so once, `autoWhiteBalance` becomes `locked`.
    public func setWhiteBalanceMode(_ mode: WhiteBalanceMode) async throws {
        try await order { machine throws(CaptureDeviceError) in try machine.setWhiteBalanceMode(mode) }
    }

    /// Sets the gains of the channels, normalised to the smallest; `current` keeps them as they are.
    ///
    /// - Returns: the start of the first frame on which they are in force.
    /// - Throws: ``CaptureDeviceError`` with `outOfRange` for a gain beyond ``WhiteBalanceCapability/maxWhiteBalanceGain``
    ///   after normalisation, or one that is not a positive number.
    @discardableResult
    public func setWhiteBalanceModeLocked(with gains: Requested<WhiteBalanceGains>) async throws -> MonotonicTime {
        try await order { machine throws(CaptureDeviceError) in try machine.lockWhiteBalance(gains: gains.value) }
    }

    /// Sets the white point by its temperature and tint; by gains where the driver takes no temperature.
    @discardableResult
    public func setWhiteBalanceModeLocked(with white: TemperatureAndTint) async throws -> MonotonicTime {
        try await order { machine throws(CaptureDeviceError) in try machine.lockWhiteBalance(white) }
    }

    // Conversions, for sensors with the primaries of sRGB; see WhiteBalanceGains.init(_:).

    /// The gains that make a surface of this colour neutral.
    public func gains(for chromaticity: Chromaticity) -> WhiteBalanceGains { WhiteBalanceGains(chromaticity) }

    /// The gains that make a surface under this light neutral.
    public func gains(for white: TemperatureAndTint) -> WhiteBalanceGains { WhiteBalanceGains(white.chromaticity) }

    /// The colour that gains make neutral.
    public func chromaticity(for gains: WhiteBalanceGains) -> Chromaticity { gains.chromaticity }

    /// The light that gains make neutral.
    public func temperatureAndTint(for gains: WhiteBalanceGains) -> TemperatureAndTint {
        TemperatureAndTint(gains.chromaticity)
    }

    /// The gains that make a grey card grey; the card fills the middle half of the picture. Apple:
    /// `grayWorldDeviceWhiteBalanceGains`.
    ///
    /// They come on top of what is in force: on a device with gains, multiply the two. Measured on the next frame.
    public func grayWorldDeviceWhiteBalanceGains() async throws -> WhiteBalanceGains {
        guard properties.value.isRunning else {
            throw CaptureDeviceError(.deviceFailed, "\(uniqueID) is not running; start its session first.")
        }
        let output = VideoDataOutput(poolSize: 1)
        let frames = output.frames(isEndless: false)
        output.connect(to: self)
        defer { remove(output) }
        for await item in frames {
            guard case .frame(let frame) = item else { continue }
            return WhiteBalanceGains(grayCard: try GrayCard.meanColour(of: frame.contents.processedImage()))
        }
        throw CaptureDeviceError(.deviceFailed, "\(uniqueID) was stopped before it delivered a frame.")
    }

    // MARK: Lens stabilisation

    /// Switches the lens's stabiliser on or off.
    public func setLensStabilization(isOn: Bool) async throws {
        try await order { machine throws(CaptureDeviceError) in try machine.setLensStabilization(isOn: isOn) }
    }
}
