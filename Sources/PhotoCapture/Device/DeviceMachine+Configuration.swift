import CaptureModel

/// What the user sets: checked before anything is done. Each function returns the order to wait for, or nil.
extension DeviceMachine {
    private func checkLocked() throws(CaptureDeviceError) {
        guard isLocked else {
            throw CaptureDeviceError(
                .notLocked, "\(camera.cameraID): call lockForConfiguration() before changing its settings.")
        }
    }

    private func refuse(_ what: String, unless isSupported: Bool) throws(CaptureDeviceError) {
        guard isSupported else {
            throw CaptureDeviceError(
                .unsupported, "\(camera.cameraID) has no \(what); check what it supports before setting it.")
        }
    }

    private func check<Value: Comparable>(
        _ name: String, _ value: Value, in range: ClosedRange<Value>
    ) throws(CaptureDeviceError) {
        guard range.contains(value) else {
            throw CaptureDeviceError(
                .outOfRange,
                "\(camera.cameraID): \(name) \(value) is out of range; it takes \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
    }

    // MARK: Exposure

    func isSupported(_ mode: ExposureMode) -> Bool {
        switch mode {
        // With no exposure duration, a sensitivity alone can still be set, unless the driver meters.
        case .custom:
            camera.exposureDurationRange != nil
                || !camera.hasAutoExposure && (camera.isoRange != nil || camera.gainRange != nil)
        case .locked: camera.exposureDurationRange != nil || !camera.hasAutoExposure
        case .autoExpose: metersItself
        case .continuousAutoExposure: metersItself || camera.hasAutoExposure
        }
    }

    mutating func setExposureMode(_ mode: ExposureMode) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("exposure mode \(mode.rawValue)", unless: isSupported(mode))
        let point = properties.exposurePointOfInterest
        meter.point = point == .centre ? nil : point
        if !metersItself, camera.hasAutoExposure {
            return give(
                .init(automatic: .exposure(isOn: mode == .continuousAutoExposure)),
                ModeChange(to: .exposure(mode), of: self))
        }
        properties.exposureMode = mode
        properties.isAdjustingExposure = metersItself && (mode == .autoExpose || mode == .continuousAutoExposure)
        resumeMetering(from: chosen.exposure)
        return nil
    }

    mutating func setExposureModeCustom(
        duration: ExposureDuration?, iso: Double?, gain: Double? = nil
    ) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("custom exposure", unless: isSupported(.custom))
        if let duration {
            try refuse("exposure duration to set", unless: camera.exposureDurationRange != nil)
            if let range = camera.exposureDurationRange { try check("an exposure of", duration, in: range) }
        }
        if let iso {
            try refuse("ISO", unless: camera.isoRange != nil)
            if let range = camera.isoRange { try check("ISO", iso, in: range) }
        }
        if let gain {
            try refuse("gain without unit", unless: camera.gainRange != nil)
            if let range = camera.gainRange { try check("a gain of", gain, in: range) }
        }
        let current = chosen.exposure
        // There is always something to write: an order is over when it acts.
        let gain = gain ?? (camera.exposureDurationRange == nil ? current.gain : nil)
        let wanted = Exposure(duration: duration ?? current.duration, iso: iso ?? current.iso, gain: gain)
        // One that has no time to write would leave the driver's automatic on.
        let automatic: CameraAutomatic? = !metersItself && camera.hasAutoExposure ? .exposure(isOn: false) : nil
        return give(
            .init(automatic: automatic, values: ControlValues(wanted)), ModeChange(to: .exposure(.custom), of: self))
    }

    mutating func setExposureTargetBias(_ bias: Double?) throws(CaptureDeviceError) {
        try checkLocked()
        guard let bias else { return }
        guard let range = properties.capabilities.exposureTargetBiasRange else {
            throw CaptureDeviceError(
                .unsupported, "\(camera.cameraID) has nothing that meters its exposure, so a bias cannot be set.")
        }
        try check("a bias of", bias, in: range)
        meter.loop?.targetBias = bias
        properties.exposureTargetBias = bias
        properties.isAdjustingExposure = meter.loop != nil
    }

    mutating func setExposurePointOfInterest(_ point: Point) throws(CaptureDeviceError) {
        try checkLocked()
        try refuse("metering of its own", unless: metersItself)
        guard point.isInPicture else {
            throw CaptureDeviceError(
                .outOfRange, "\(camera.cameraID): a point of interest must lie within 0...1 in both directions.")
        }
        properties.exposurePointOfInterest = point
    }

    mutating func setActiveMaxExposureDuration(_ duration: ExposureDuration?) throws(CaptureDeviceError) {
        try checkLocked()
        guard let range = camera.exposureDurationRange else {
            throw CaptureDeviceError(.unsupported, "\(camera.cameraID) has no exposure that can be set.")
        }
        if let duration { try check("a longest exposure of", duration, in: range) }
        properties.activeMaxExposureDuration = duration
        resumeMetering(from: chosen.exposure)
        properties.isAdjustingExposure = meter.loop != nil
    }

    // MARK: Focus

    func isSupported(_ mode: FocusMode) -> Bool {
        switch mode {
        case .locked: camera.canSetLensPosition || camera.hasAutoFocus
        case .autoFocus, .continuousAutoFocus: camera.hasAutoFocus
        }
    }

    mutating func setFocusMode(_ mode: FocusMode) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("focus mode \(mode.rawValue)", unless: isSupported(mode))
        guard camera.hasAutoFocus else {
            properties.focusMode = mode
            return nil
        }
        let restriction = properties.autoFocusRangeRestriction
        let automatic: CameraAutomatic =
            switch mode {
            case .autoFocus: .focusOnce(restriction)
            case .locked, .continuousAutoFocus: .focus(isOn: mode == .continuousAutoFocus, restriction)
            }
        return give(
            .init(automatic: automatic), ModeChange(to: .focus(mode), of: self, locksChosen: mode == .locked))
    }

    mutating func lockFocus(_ lensPosition: Double?) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("lens that can be set", unless: camera.canSetLensPosition || lensPosition == nil)
        if let lensPosition { try check("lens position", lensPosition, in: 0...1) }
        let restriction = properties.autoFocusRangeRestriction
        var order = ControlQueue.Order(
            automatic: camera.hasAutoFocus ? .focus(isOn: false, restriction) : nil)
        order.values.lensPosition = lensPosition
        return give(order, ModeChange(to: .focus(.locked), of: self, locksChosen: lensPosition == nil))
    }

    mutating func setAutoFocusRangeRestriction(
        _ restriction: AutoFocusRangeRestriction
    ) throws(CaptureDeviceError) {
        try checkLocked()
        try refuse("autofocus", unless: camera.hasAutoFocus || restriction == .none)
        properties.autoFocusRangeRestriction = restriction
    }

    // MARK: White balance

    func isSupported(_ mode: WhiteBalanceMode) -> Bool {
        switch mode {
        case .locked: camera.whiteBalance.canBeSet || camera.whiteBalance.hasAutomatic
        case .autoWhiteBalance, .continuousAutoWhiteBalance: camera.whiteBalance.hasAutomatic
        }
    }

    mutating func setWhiteBalanceMode(_ mode: WhiteBalanceMode) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("white balance mode \(mode.rawValue)", unless: isSupported(mode))
        guard camera.whiteBalance.hasAutomatic else {
            properties.whiteBalanceMode = mode
            return nil
        }
        let automatic: CameraAutomatic =
            switch mode {
            case .autoWhiteBalance: .whiteBalanceOnce
            case .locked, .continuousAutoWhiteBalance: .whiteBalance(isOn: mode == .continuousAutoWhiteBalance)
            }
        return give(
            .init(automatic: automatic),
            ModeChange(to: .whiteBalance(mode), of: self, locksChosen: mode != .continuousAutoWhiteBalance))
    }

    mutating func lockWhiteBalance(gains: WhiteBalanceGains?) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        guard let gains else { return try lockWhiteBalance(nil as WhiteBalance?) }
        guard let maximum = camera.whiteBalance.maxWhiteBalanceGain else {
            let hint = camera.whiteBalance.temperatureRange == nil ? "" : "; set a temperature instead"
            throw CaptureDeviceError(.unsupported, "\(camera.cameraID) takes no white balance gains\(hint).")
        }
        guard gains.areValid else {
            throw CaptureDeviceError(.outOfRange, "\(camera.cameraID): a white balance gain must be a number above 0.")
        }
        try check("a white balance gain of", gains.normalized.maximum, in: 1...maximum)
        return try lockWhiteBalance(.gains(gains.normalized))
    }

    mutating func lockWhiteBalance(_ white: TemperatureAndTint) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        guard let range = camera.whiteBalance.temperatureRange else {
            return try lockWhiteBalance(gains: WhiteBalanceGains(white.chromaticity))
        }
        try check("a temperature of", white.temperature, in: range)
        guard white.tint == 0 else {
            throw CaptureDeviceError(
                .unsupported, "\(camera.cameraID) takes a temperature but no tint; set a tint of 0.")
        }
        return try lockWhiteBalance(.temperatureAndTint(white))
    }

    private mutating func lockWhiteBalance(_ white: WhiteBalance?) throws(CaptureDeviceError) -> Int? {
        try refuse("white balance that can be set", unless: isSupported(WhiteBalanceMode.locked))
        var order = ControlQueue.Order(
            automatic: camera.whiteBalance.hasAutomatic ? .whiteBalance(isOn: false) : nil)
        order.values.whiteBalance = white
        return give(order, ModeChange(to: .whiteBalance(.locked), of: self, locksChosen: white == nil))
    }

    // MARK: Lens stabilisation

    mutating func setLensStabilization(isOn: Bool) throws(CaptureDeviceError) -> Int? {
        try checkLocked()
        try refuse("lens stabilisation", unless: camera.hasLensStabilization)
        isStabilizationSet = true
        return give(
            .init(automatic: .lensStabilization(isOn: isOn)),
            ModeChange(to: .lensStabilization(isOn: isOn), of: self))
    }
}
