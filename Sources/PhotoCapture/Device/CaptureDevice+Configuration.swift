public import CaptureModel
import Synchronization

extension CaptureDevice {
    /// Takes the right to set properties; nobody else has it until ``unlockForConfiguration()``.
    ///
    /// - Throws: ``CaptureDeviceError`` with `lockedByAnother`. Nested calls are refused as well.
    public func lockForConfiguration() throws(CaptureDeviceError) {
        let isFree = state.withLock { state in
            defer { state.isLocked = true }
            return !state.isLocked
        }
        guard isFree else {
            throw CaptureDeviceError(.lockedByAnother, "\(uniqueID) is locked for configuration already.")
        }
    }

    /// Lets others configure the device.
    public func unlockForConfiguration() {
        state.withLock { $0.isLocked = false }
    }

    func checkLocked() throws(CaptureDeviceError) {
        guard state.withLock({ $0.isLocked }) else {
            throw CaptureDeviceError(
                .notLocked, "\(uniqueID): call lockForConfiguration() before you set what it does.")
        }
    }

    func refuse(_ what: String, unless isSupported: Bool) throws(CaptureDeviceError) {
        guard isSupported else {
            throw CaptureDeviceError(.unsupported, "\(uniqueID) has no \(what); ask before you set it.")
        }
    }

    func check<Value: Comparable>(
        _ name: String, _ value: Value, in range: ClosedRange<Value>
    ) throws(CaptureDeviceError) {
        guard range.contains(value) else {
            throw CaptureDeviceError(
                .outOfRange,
                "\(uniqueID): \(name) \(value) is out of range; it takes \(range.lowerBound) to \(range.upperBound).")
        }
    }

    // MARK: Exposure

    /// Whether ``setExposureMode(_:)`` takes a mode.
    public func isExposureModeSupported(_ mode: ExposureMode) -> Bool {
        let camera = capabilities
        switch mode {
        case .custom: return camera.exposureDurationRange != nil
        case .locked: return camera.exposureDurationRange != nil || !camera.hasAutoExposure
        case .autoExpose: return Self.metersItself(camera)
        case .continuousAutoExposure: return Self.metersItself(camera) || camera.hasAutoExposure
        }
    }

    /// Sets who controls the exposure; a point of interest that was set takes part from now on.
    ///
    /// - Throws: ``CaptureDeviceError`` for a mode that the device has not; `custom` is set with
    ///   ``setExposureModeCustom(duration:iso:)``.
    public func setExposureMode(_ mode: ExposureMode) async throws {
        try checkLocked()
        try refuse("exposure mode \(mode.rawValue)", unless: isExposureModeSupported(mode))
        if !Self.metersItself(capabilities), capabilities.hasAutoExposure {
            let automatic = CameraAutomatic.exposure(isOn: mode == .continuousAutoExposure)
            try await set(\.exposureMode, to: mode, with: .automatic(automatic))
        }
        let isMetered = Self.metersItself(capabilities) && (mode == .autoExpose || mode == .continuousAutoExposure)
        properties.update {
            $0.exposureMode = mode
            $0.isAdjustingExposure = isMetered
        }
        let point = properties.value.exposurePointOfInterest
        state.withLock { state in
            state.meteringPoint = point == .centre ? nil : point
            resumeMetering(&state, from: (state.hold?.found ?? state.timeline.written).exposure)
        }
    }

    /// Sets duration and ISO; the only way to set either. Apple: `setExposureModeCustom(duration:iso:completionHandler:)`.
    ///
    /// - Returns: the start of the first frame that is exposed so, on CLOCK_MONOTONIC. Calls end in the order in which
    ///   they were made.
    /// - Throws: ``CaptureDeviceError`` for values out of the active format's ranges.
    @discardableResult
    public func setExposureModeCustom(
        duration: Requested<ExposureDuration> = .current, iso: Requested<Double> = .current
    ) async throws -> MonotonicTime {
        try checkLocked()
        let camera = capabilities
        try refuse("custom exposure", unless: camera.exposureDurationRange != nil)
        if let duration = duration.value, let range = camera.exposureDurationRange {
            try check("an exposure of", duration, in: range)
        }
        if let iso = iso.value {
            try refuse("ISO", unless: camera.isoRange != nil)
            if let range = camera.isoRange { try check("ISO", iso, in: range) }
        }
        let current = state.withLock { ($0.hold?.found ?? $0.timeline.written).exposure }
        let wanted = Exposure(duration: duration.value ?? current.duration, iso: iso.value ?? current.iso)
        // The loop would write over what is set here.
        let loop = state.withLock { $0.loop.take() }
        do {
            let time = try await set(\.exposureMode, to: .custom, with: .write(ControlValues(wanted)))
            properties.update { $0.isAdjustingExposure = false }
            return time
        } catch {
            state.withLock { $0.loop = $0.loop ?? loop }
            throw error
        }
    }

    /// Sets a mode with the order that brings it about; a refused one leaves the mode as it was.
    @discardableResult
    private func set<Mode: Equatable & Sendable>(
        _ mode: any WritableKeyPath<DeviceProperties, Mode> & Sendable, to new: Mode, with order: ControlQueue.Order
    ) async throws -> MonotonicTime {
        let former = properties.value[keyPath: mode]
        properties.update { $0[keyPath: mode] = new }
        do {
            return try await self.order(order)
        } catch {
            properties.update { if $0[keyPath: mode] == new { $0[keyPath: mode] = former } }
            throw error
        }
    }

    /// Moves the automatic's target, in EV; in custom mode it moves only what is metered.
    public func setExposureTargetBias(_ bias: Requested<Double>) throws {
        try checkLocked()
        guard let bias = bias.value else { return }
        guard let range = capabilities.exposureTargetBiasRange else {
            throw CaptureDeviceError(.unsupported, "\(uniqueID) has nothing that meters, so it has no bias.")
        }
        try check("a bias of", bias, in: range)
        let isMetered = state.withLock { state in
            state.loop?.targetBias = bias
            return state.loop != nil
        }
        properties.update { properties in
            properties.exposureTargetBias = bias
            properties.isAdjustingExposure = isMetered
        }
    }

    /// Sets where the automatic looks; acts when an automatic mode is set again, as Apple's does.
    public func setExposurePointOfInterest(_ point: Point) throws {
        try checkLocked()
        try refuse("metering of its own", unless: Self.metersItself(capabilities))
        guard point.isInPicture else {
            throw CaptureDeviceError(.outOfRange, "\(uniqueID): a point of interest lies within 0...1 both ways.")
        }
        properties.update { $0.exposurePointOfInterest = point }
    }

    /// Limits the automatic's exposures; nil for the format's own limit.
    public func setActiveMaxExposureDuration(_ duration: ExposureDuration?) throws {
        try checkLocked()
        guard let range = capabilities.exposureDurationRange else {
            throw CaptureDeviceError(.unsupported, "\(uniqueID) has no exposure that can be set.")
        }
        if let duration { try check("a longest exposure of", duration, in: range) }
        properties.update { $0.activeMaxExposureDuration = duration }
        let isMetered = state.withLock { state in
            resumeMetering(&state, from: (state.hold?.found ?? state.timeline.written).exposure)
            return state.loop != nil
        }
        properties.update { $0.isAdjustingExposure = isMetered }
    }

    // MARK: Focus

    /// Whether ``setFocusMode(_:)`` takes a mode.
    public func isFocusModeSupported(_ mode: FocusMode) -> Bool {
        switch mode {
        case .locked: capabilities.canSetLensPosition || capabilities.hasAutoFocus
        case .autoFocus, .continuousAutoFocus: capabilities.hasAutoFocus
        }
    }

    /// Sets who moves the lens. Once it has focused, `autoFocus` becomes `locked`; a driver that does not tell gets a
    /// second for it.
    public func setFocusMode(_ mode: FocusMode) async throws {
        try checkLocked()
        try refuse("focus mode \(mode.rawValue)", unless: isFocusModeSupported(mode))
        guard capabilities.hasAutoFocus else { return properties.update { $0.focusMode = mode } }
        let restriction = properties.value.autoFocusRangeRestriction
        let automatic: CameraAutomatic =
            switch mode {
            case .autoFocus: .focusOnce(restriction)
            case .locked, .continuousAutoFocus: .focus(isOn: mode == .continuousAutoFocus, restriction)
            }
        try await set(\.focusMode, to: mode, with: .automatic(automatic))
        if mode == .locked { noteAutomatics() }
        state.withLock { $0.framesSinceFocus = 0 }
        properties.update { if $0.focusMode == mode { $0.isAdjustingFocus = mode == .autoFocus } }
    }

    /// How long a lens is given that does not tell when it is there, and how often one is asked that does; in
    /// nanoseconds.
    private static let (focusPatience, focusInterval): (Int64, Int64) = (1_000_000_000, 100_000_000)

    /// After a frame: whether the lens still looks for its place.
    func followFocus() {
        let now = properties.value
        guard now.focusMode == .continuousAutoFocus || (now.focusMode == .autoFocus && now.isAdjustingFocus) else {
            return
        }
        let elapsed = state.withLock { state in
            state.framesSinceFocus += 1
            return Int64(state.framesSinceFocus) * now.capabilities.frameDurationNanoseconds
        }
        let frames = max(1, Self.focusInterval / max(1, now.capabilities.frameDurationNanoseconds))
        guard state.withLock({ Int64($0.framesSinceFocus) % frames == 0 }) else { return }
        // A driver that fails to answer now has a chance later.
        let told: Bool?
        do { told = try camera.isFocusing() } catch { return }
        let isFocusing = told ?? (now.focusMode == .autoFocus && elapsed < Self.focusPatience)
        properties.update { properties in
            properties.isAdjustingFocus = isFocusing
            if !isFocusing, properties.focusMode == .autoFocus { properties.focusMode = .locked }
        }
        if !isFocusing, now.focusMode == .autoFocus { noteAutomatics() }
    }

    /// V4L2 has no control for where to focus.
    public var isFocusPointOfInterestSupported: Bool { false }

    /// V4L2 has no control for how fast a lens moves.
    public var isSmoothAutoFocusSupported: Bool { false }

    /// Moves the lens: 0 nearest, 1 furthest.
    ///
    /// - Returns: the start of the first frame after it was told; a lens still moves then, and V4L2 does not say how
    ///   long.
    @discardableResult
    public func setFocusModeLocked(lensPosition: Requested<Double>) async throws -> MonotonicTime {
        try checkLocked()
        try refuse("lens that can be set", unless: capabilities.canSetLensPosition || lensPosition == .current)
        if let position = lensPosition.value { try check("lens position", position, in: 0...1) }
        if capabilities.hasAutoFocus {
            _ = try await order(.automatic(.focus(isOn: false, properties.value.autoFocusRangeRestriction)))
        }
        var values = ControlValues()
        values.lensPosition = lensPosition.value
        let time = try await set(\.focusMode, to: .locked, with: .write(values))
        properties.update { $0.isAdjustingFocus = false }
        return time
    }

    /// Limits how far the autofocus looks; acts when an automatic focus mode is set again.
    public func setAutoFocusRangeRestriction(_ restriction: AutoFocusRangeRestriction) throws {
        try checkLocked()
        try refuse("autofocus", unless: capabilities.hasAutoFocus || restriction == .none)
        properties.update { $0.autoFocusRangeRestriction = restriction }
    }

    // MARK: White balance

    /// Whether ``setWhiteBalanceMode(_:)`` takes a mode.
    public func isWhiteBalanceModeSupported(_ mode: WhiteBalanceMode) -> Bool {
        switch mode {
        case .locked: capabilities.whiteBalance.canBeSet || capabilities.whiteBalance.hasAutomatic
        case .autoWhiteBalance, .continuousAutoWhiteBalance: capabilities.whiteBalance.hasAutomatic
        }
    }

    /// Sets who balances the colours. With the order to balance them once, `autoWhiteBalance` becomes `locked`.
    public func setWhiteBalanceMode(_ mode: WhiteBalanceMode) async throws {
        try checkLocked()
        try refuse("white balance mode \(mode.rawValue)", unless: isWhiteBalanceModeSupported(mode))
        guard capabilities.whiteBalance.hasAutomatic else { return properties.update { $0.whiteBalanceMode = mode } }
        switch mode {
        case .autoWhiteBalance:
            try await set(\.whiteBalanceMode, to: mode, with: .automatic(.whiteBalanceOnce))
            properties.update { if $0.whiteBalanceMode == mode { $0.whiteBalanceMode = .locked } }
            noteAutomatics()
        case .locked, .continuousAutoWhiteBalance:
            let automatic = CameraAutomatic.whiteBalance(isOn: mode == .continuousAutoWhiteBalance)
            try await set(\.whiteBalanceMode, to: mode, with: .automatic(automatic))
            if mode == .locked { noteAutomatics() }
        }
    }

    /// Sets the gains of the channels, normalised to the smallest; `current` keeps them as they are.
    ///
    /// - Returns: the start of the first frame on which they are in force.
    /// - Throws: ``CaptureDeviceError`` with `outOfRange` for a gain beyond ``WhiteBalanceCapability/maxWhiteBalanceGain``
    ///   after normalisation, or one that is no positive number.
    @discardableResult
    public func setWhiteBalanceModeLocked(with gains: Requested<WhiteBalanceGains>) async throws -> MonotonicTime {
        try checkLocked()
        var values = ControlValues()
        if let gains = gains.value {
            guard let maximum = capabilities.whiteBalance.maxWhiteBalanceGain else {
                throw CaptureDeviceError(
                    .unsupported, "\(uniqueID) takes no white balance gains\(temperatureHint).")
            }
            guard gains.areValid else {
                throw CaptureDeviceError(.outOfRange, "\(uniqueID): a white balance gain is a number above 0.")
            }
            try check("a white balance gain of", gains.normalized.maximum, in: 1...maximum)
            values.whiteBalance = .gains(gains.normalized)
        }
        return try await lockWhiteBalance(values)
    }

    /// Sets the white point by its temperature and tint; by gains where the driver takes no temperature.
    @discardableResult
    public func setWhiteBalanceModeLocked(with white: TemperatureAndTint) async throws -> MonotonicTime {
        try checkLocked()
        guard let range = capabilities.whiteBalance.temperatureRange else {
            return try await setWhiteBalanceModeLocked(with: .value(gains(for: white)))
        }
        try check("a temperature of", white.temperature, in: range)
        guard white.tint == 0 else {
            throw CaptureDeviceError(.unsupported, "\(uniqueID) takes a temperature but no tint; set a tint of 0.")
        }
        var values = ControlValues()
        values.whiteBalance = .temperatureAndTint(white)
        return try await lockWhiteBalance(values)
    }

    private func lockWhiteBalance(_ values: ControlValues) async throws -> MonotonicTime {
        try refuse("white balance that can be set", unless: isWhiteBalanceModeSupported(.locked))
        if capabilities.whiteBalance.hasAutomatic { _ = try await order(.automatic(.whiteBalance(isOn: false))) }
        return try await set(\.whiteBalanceMode, to: .locked, with: .write(values))
    }

    private var temperatureHint: String {
        capabilities.whiteBalance.temperatureRange == nil ? "" : "; set a temperature instead"
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

    /// The gains that make a grey card grey, which fills the middle half of the picture. Apple:
    /// `grayWorldDeviceWhiteBalanceGains`.
    ///
    /// They go on top of what is in force: on a device with gains, multiply them with those. Looks at the next frame.
    public func grayWorldDeviceWhiteBalanceGains() async throws -> WhiteBalanceGains {
        guard properties.value.isRunning else {
            throw CaptureDeviceError(.deviceFailed, "\(uniqueID) does not run; start its session first.")
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

    /// Holds the lens still by its stabiliser, or lets it be.
    public func setLensStabilization(isOn: Bool) async throws {
        try checkLocked()
        try refuse("lens stabilisation", unless: capabilities.hasLensStabilization)
        try await set(\.isLensStabilizationOn, to: isOn, with: .automatic(.lensStabilization(isOn: isOn)))
    }
}
