package import CaptureModel

/// Apple: `AVCaptureDevice.FocusMode`.
package enum FocusMode: String, Hashable, Sendable, CaseIterable {
    case locked
    /// Focuses once, then locks.
    case autoFocus
    case continuousAutoFocus
}

/// Apple: `AVCaptureDevice.ExposureMode`.
package enum ExposureMode: String, Hashable, Sendable, CaseIterable {
    case locked
    /// Meters once, then locks.
    case autoExpose
    case continuousAutoExposure
    /// A duration and an ISO that were set.
    case custom
}

/// Apple: `AVCaptureDevice.WhiteBalanceMode`.
package enum WhiteBalanceMode: String, Hashable, Sendable, CaseIterable {
    case locked
    /// Adjusts once, then locks.
    case autoWhiteBalance
    case continuousAutoWhiteBalance
}

/// Everything of a device that can be observed, as one value.
package struct DeviceProperties: Hashable, Sendable {
    /// Whether frames flow.
    package var isRunning = false
    /// Why none flows any more; nil while all is well.
    package var failure: CaptureError?
    /// The camera with what the core adds to it; see ``CaptureDevice/capabilities``.
    package var capabilities: CameraCapabilities
    package var profile: CameraProfile?
    /// How much of it is learned, 0...1, while the camera is being learned; nil else.
    package var calibrationProgress: Double?

    package var focusMode = FocusMode.locked
    /// 0 nearest, 1 furthest; 1 where the lens does not tell.
    package var lensPosition = 1.0
    package var isAdjustingFocus = false
    package var autoFocusRangeRestriction = AutoFocusRangeRestriction.none

    package var exposureMode = ExposureMode.locked
    /// What the newest frame was exposed with.
    package var exposure = Exposure()
    package var isAdjustingExposure = false
    /// In EV.
    package var exposureTargetBias = 0.0
    /// Metered brightness above the target, in EV.
    package var exposureTargetOffset = 0.0
    /// Acts when an automatic exposure mode is set again.
    package var exposurePointOfInterest = Point.centre
    /// The longest that the automatic may expose; nil for the format's own limit.
    package var activeMaxExposureDuration: ExposureDuration?

    package var whiteBalanceMode = WhiteBalanceMode.locked
    /// As it was set by hand, or as the driver tells it; nil where it does not.
    package var whiteBalance: WhiteBalance?
    package var isAdjustingWhiteBalance = false
    package var isLensStabilizationOn = false

    init(capabilities: CameraCapabilities) {
        self.capabilities = capabilities
    }
}
