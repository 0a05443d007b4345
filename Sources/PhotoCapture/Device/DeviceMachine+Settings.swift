import CaptureModel

/// Several properties at once.
extension DeviceMachine {
    /// One of the changes that bring settings about.
    enum SettingChange: Hashable, Sendable {
        /// Nil for the format's own limit.
        case longestExposure(ExposureDuration?)
        case exposurePoint(Point)
        case exposureBias(Double)
        case exposure(Exposure)
        /// Nil for the mode that there is: a point of interest takes effect with it.
        case exposureMode(ExposureMode?)
        case focusRange(AutoFocusRangeRestriction)
        case lensPosition(Double)
        /// Nil for the mode that there is: a restriction takes effect with it.
        case focusMode(FocusMode?)
        case whiteBalance(WhiteBalance)
        case whiteBalanceMode(WhiteBalanceMode)
        case stabilization(isOn: Bool)
    }

    /// The changes that bring settings about, in this order: what a mode takes over with it comes before the mode.
    static func changes(for settings: CameraSettings) -> [SettingChange] {
        var changes: [SettingChange] = []
        if let longest = settings.activeMaxExposureDuration {
            changes.append(.longestExposure(longest.nanoseconds == 0 ? nil : longest))
        }
        let point = settings.exposurePointOfInterest
        if let point { changes.append(.exposurePoint(point)) }
        if let bias = settings.exposureTargetBias { changes.append(.exposureBias(bias)) }
        let exposure = Exposure(duration: settings.exposureDuration, iso: settings.iso, gain: settings.gain)
        let mode = settings.exposureMode
        if exposure != Exposure() || mode == .custom { changes.append(.exposure(exposure)) }
        if mode != nil && mode != .custom || mode == nil && point != nil { changes.append(.exposureMode(mode)) }
        let range = settings.autoFocusRangeRestriction
        if let range { changes.append(.focusRange(range)) }
        if let position = settings.lensPosition {
            changes.append(.lensPosition(position))
        } else if settings.focusMode != nil || range != nil {
            changes.append(.focusMode(settings.focusMode))
        }
        if let white = settings.whiteBalance {
            changes.append(.whiteBalance(white))
        } else if let mode = settings.whiteBalanceMode {
            changes.append(.whiteBalanceMode(mode))
        }
        if let isOn = settings.isLensStabilizationOn { changes.append(.stabilization(isOn: isOn)) }
        return changes
    }

    /// Refuses changes of which one is not possible, before anything is done.
    func check(_ changes: [SettingChange]) throws(CaptureDeviceError) {
        var trial = self
        for change in changes { _ = try trial.make(change) }
    }

    /// - Returns: the order to wait for, or nil.
    mutating func make(_ change: SettingChange) throws(CaptureDeviceError) -> Int? {
        switch change {
        case .longestExposure(let duration): try setActiveMaxExposureDuration(duration)
        case .exposurePoint(let point): try setExposurePointOfInterest(point)
        case .exposureBias(let bias): try setExposureTargetBias(bias)
        case .exposure(let wanted):
            return try setExposureModeCustom(duration: wanted.duration, iso: wanted.iso, gain: wanted.gain)
        case .exposureMode(let mode):
            let mode = mode ?? properties.exposureMode
            return mode == .custom ? nil : try setExposureMode(mode)
        case .focusRange(let range): try setAutoFocusRangeRestriction(range)
        case .lensPosition(let position): return try lockFocus(position)
        case .focusMode(let mode): return try setFocusMode(mode ?? properties.focusMode)
        case .whiteBalance(.gains(let gains)): return try lockWhiteBalance(gains: gains)
        case .whiteBalance(.temperatureAndTint(let white)): return try lockWhiteBalance(white)
        case .whiteBalanceMode(let mode): return try setWhiteBalanceMode(mode)
        case .stabilization(let isOn): return try setLensStabilization(isOn: isOn)
        }
        return nil
    }

    // MARK: What is set

    /// Every property that the device has, as it is now.
    ///
    /// - Parameter read: what the driver says of its controls.
    func settings(_ read: ControlValues) -> CameraSettings {
        let now = properties
        var settings = CameraSettings()
        settings.exposureMode = now.exposureMode
        if camera.exposureDurationRange != nil {
            settings.exposureDuration = read.exposureDuration ?? now.exposure.duration
            settings.activeMaxExposureDuration = now.activeMaxExposureDuration ?? ExposureDuration(nanoseconds: 0)
        }
        if isSupported(ExposureMode.custom) {
            if camera.isoRange != nil { settings.iso = read.iso ?? now.exposure.iso }
            if camera.gainRange != nil { settings.gain = read.gain ?? now.exposure.gain }
        }
        if now.capabilities.exposureTargetBiasRange != nil { settings.exposureTargetBias = now.exposureTargetBias }
        if metersItself { settings.exposurePointOfInterest = now.exposurePointOfInterest }
        if isSupported(FocusMode.locked) { settings.focusMode = now.focusMode }
        if camera.canSetLensPosition { settings.lensPosition = read.lensPosition ?? now.lensPosition }
        if camera.hasAutoFocus { settings.autoFocusRangeRestriction = now.autoFocusRangeRestriction }
        if isSupported(WhiteBalanceMode.locked) {
            settings.whiteBalanceMode = now.whiteBalanceMode
            settings.whiteBalance = read.whiteBalance ?? now.whiteBalance
        }
        if camera.hasLensStabilization { settings.isLensStabilizationOn = now.isLensStabilizationOn }
        return settings
    }

    /// The names of the properties that an automatic chooses, and of those of which it has yet to settle on one.
    var automatics: (automatic: [CameraProperty], adjusting: [CameraProperty]) {
        let now = properties
        let exposure: [CameraProperty] = [.exposureDuration, .iso] + (metersItself ? [] : [.gain])
        let isMetered = now.exposureMode == .autoExpose || now.exposureMode == .continuousAutoExposure
        let automatic =
            (isMetered ? exposure : []) + (now.focusMode == .locked ? [] : [.lensPosition])
            + (now.whiteBalanceMode == .locked ? [] : [.whiteBalance])
        let adjusting =
            (now.isAdjustingExposure ? exposure : []) + (now.isAdjustingFocus ? [.lensPosition] : [])
            + (now.isAdjustingWhiteBalance ? [.whiteBalance] : [])
        return (automatic, adjusting)
    }

    /// The modes that the device has, by property.
    var choices: [CameraProperty: [String]] {
        [
            .exposureMode: ExposureMode.allCases.filter(isSupported).map(\.rawValue),
            .focusMode: FocusMode.allCases.filter(isSupported).map(\.rawValue),
            .whiteBalanceMode: WhiteBalanceMode.allCases.filter(isSupported).map(\.rawValue),
            .autoFocusRangeRestriction: camera.hasAutoFocus ? AutoFocusRangeRestriction.allCases.map(\.rawValue) : [],
        ]
    }
}
