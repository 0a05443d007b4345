/// What a camera is set to by hand, or is to be; what is left out stays as it is.
///
/// A value goes with the mode in which it is set by hand: an exposure with `custom` or `locked`, a lens position and a
/// white balance with `locked`.
package struct CameraSettings: Hashable, Sendable, Codable {
    /// What chooses the exposure.
    package var exposureMode: ExposureMode?
    /// How long each line of a frame is exposed.
    package var exposureDuration: ExposureDuration?
    /// The sensitivity, where the camera has a calibrated one.
    package var iso: Double?
    /// In the driver's own unit, where there is no ISO.
    package var gain: Double?
    /// Moves the target of the automatic, in EV.
    package var exposureTargetBias: Double?
    /// Where the automatic meters.
    package var exposurePointOfInterest: Point?
    /// The longest that the automatic may expose; zero for the format's own limit.
    package var activeMaxExposureDuration: ExposureDuration?
    /// What moves the lens.
    package var focusMode: FocusMode?
    /// 0 nearest, 1 furthest.
    package var lensPosition: Double?
    /// The distances that the autofocus searches.
    package var autoFocusRangeRestriction: AutoFocusRangeRestriction?
    /// What chooses the white balance.
    package var whiteBalanceMode: WhiteBalanceMode?
    /// As gains, or as temperature and tint.
    package var whiteBalance: WhiteBalance?
    /// Whether the lens is held still by its stabiliser.
    package var isLensStabilizationOn: Bool?

    package init() {}

    private enum CodingKeys: String, CodingKey {
        case exposureMode
        case exposureDuration = "exposureDurationNanoseconds"
        case iso, gain, exposureTargetBias, exposurePointOfInterest
        case activeMaxExposureDuration = "activeMaxExposureDurationNanoseconds"
        case focusMode, lensPosition, autoFocusRangeRestriction
        case whiteBalanceMode, whiteBalance
        case isLensStabilizationOn
    }

    /// The properties that have a value.
    package var properties: [CameraProperty] { CameraProperty.allCases.filter { text(of: $0) != nil } }

    // MARK: What goes together

    /// A gain without a unit is left alone by Volley's own automatic.
    private var hasExposure: Bool { exposureDuration != nil || iso != nil }

    /// Why no camera can be set to this; nil where one may be.
    package var problem: String? {
        if hasExposure, let mode = exposureMode, mode == .autoExpose || mode == .continuousAutoExposure {
            return
                "exposureMode \(mode.rawValue) chooses the exposure by itself; leave exposureDuration and iso out."
        }
        if lensPosition != nil, let mode = focusMode, mode != .locked {
            return "focusMode \(mode.rawValue) moves the lens by itself; leave lensPosition out."
        }
        if whiteBalance != nil, let mode = whiteBalanceMode, mode != .locked {
            return "whiteBalanceMode \(mode.rawValue) balances by itself; leave whiteBalance out."
        }
        let numbers = [iso, gain, exposureTargetBias, lensPosition].compactMap(\.self)
        let areValid = numbers.allSatisfy(\.isFinite) && whiteBalance?.isPlausible ?? true
        return areValid ? nil : "A value is outside what any camera can have."
    }

    /// These settings on top of earlier ones: what is set by hand ends an automatic, and the other way round.
    package func over(_ former: CameraSettings) -> CameraSettings {
        var merged = former
        merged.gain = gain ?? former.gain
        if exposureMode != nil || hasExposure || gain != nil {
            let isAutomatic = exposureMode == .autoExpose || exposureMode == .continuousAutoExposure
            merged.exposureMode = exposureMode ?? .custom
            merged.exposureDuration = exposureDuration ?? (isAutomatic ? nil : former.exposureDuration)
            merged.iso = iso ?? (isAutomatic ? nil : former.iso)
        }
        if focusMode != nil || lensPosition != nil {
            merged.focusMode = focusMode ?? .locked
            merged.lensPosition = lensPosition ?? (merged.focusMode == .locked ? former.lensPosition : nil)
        }
        if whiteBalanceMode != nil || whiteBalance != nil {
            merged.whiteBalanceMode = whiteBalanceMode ?? .locked
            merged.whiteBalance = whiteBalance ?? (merged.whiteBalanceMode == .locked ? former.whiteBalance : nil)
        }
        merged.exposureTargetBias = exposureTargetBias ?? former.exposureTargetBias
        merged.exposurePointOfInterest = exposurePointOfInterest ?? former.exposurePointOfInterest
        merged.activeMaxExposureDuration = activeMaxExposureDuration ?? former.activeMaxExposureDuration
        merged.autoFocusRangeRestriction = autoFocusRangeRestriction ?? former.autoFocusRangeRestriction
        merged.isLensStabilizationOn = isLensStabilizationOn ?? former.isLensStabilizationOn
        return merged
    }

    /// What brings the same about again: what an automatic found once is set by hand from now on, and what was left out
    /// beside a value is what it is.
    ///
    /// - Parameter current: what the camera is set to.
    package func settled(as current: CameraSettings) -> CameraSettings {
        var settled = self
        if let mode = exposureMode, mode != .continuousAutoExposure {
            settled.exposureMode = mode == .custom ? .custom : .locked
            settled.exposureDuration = exposureDuration ?? current.exposureDuration
            settled.iso = iso ?? current.iso
            settled.gain = gain ?? current.gain
        }
        if let mode = focusMode, mode != .continuousAutoFocus {
            settled.focusMode = .locked
            settled.lensPosition = lensPosition ?? current.lensPosition
        }
        if let mode = whiteBalanceMode, mode != .continuousAutoWhiteBalance {
            settled.whiteBalanceMode = .locked
            settled.whiteBalance = whiteBalance ?? current.whiteBalance
        }
        return settled
    }

    /// The same without the values that an automatic has chosen, so that a camera can be set to it.
    ///
    /// - Parameter choosesGain: whether the automatic exposure is the driver's own, which may choose a gain as well.
    package func byHand(choosesGain: Bool) -> CameraSettings {
        var byHand = self
        if exposureMode == .autoExpose || exposureMode == .continuousAutoExposure {
            (byHand.exposureDuration, byHand.iso) = (nil, nil)
            if choosesGain { byHand.gain = nil }
        }
        if let focusMode, focusMode != .locked { byHand.lensPosition = nil }
        if let whiteBalanceMode, whiteBalanceMode != .locked { byHand.whiteBalance = nil }
        return byHand
    }
}
