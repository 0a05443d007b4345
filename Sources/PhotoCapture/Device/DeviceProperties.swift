public import CaptureModel

/// Everything of a device that can be observed, as one value.
public struct DeviceProperties: Hashable, Sendable {
    /// Whether frames flow.
    public var isRunning = false
    /// Why they have stopped; nil while all is well.
    public var failure: CaptureError?
    /// The camera with what the core adds to it; see ``CaptureDevice/capabilities``.
    public var capabilities: CameraCapabilities
    /// What was learned about the camera; nil while nothing was.
    public var profile: CameraProfile?
    /// How far a calibration has got, 0...1; nil while there is none.
    public var calibrationProgress: Double?

    /// What moves the lens.
    public var focusMode = FocusMode.locked
    /// 0 nearest, 1 furthest; 1 where the lens does not report it.
    public var lensPosition = 1.0
    /// Whether the lens is still focusing.
    public var isAdjustingFocus = false
    /// The distances that the autofocus searches.
    public var autoFocusRangeRestriction = AutoFocusRangeRestriction.none

    /// What chooses the exposure.
    public var exposureMode = ExposureMode.locked
    /// What the newest frame was exposed with.
    public var exposure = Exposure()
    /// Whether the automatic has yet to settle.
    public var isAdjustingExposure = false
    /// Moves the target of the automatic, in EV.
    public var exposureTargetBias = 0.0
    /// Metered brightness above the target, in EV.
    public var exposureTargetOffset = 0.0
    /// Takes effect when an automatic exposure mode is next set.
    public var exposurePointOfInterest = Point.centre
    /// The longest that the automatic may expose; nil for the format's own limit.
    public var activeMaxExposureDuration: ExposureDuration?

    /// What chooses the white balance.
    public var whiteBalanceMode = WhiteBalanceMode.locked
    /// As it was set by hand, or as the driver reports it; nil where it does not.
    public var whiteBalance: WhiteBalance?
    /// Whether the automatic has yet to settle: a second ago its choice was a different one. False where the driver
    /// does not report what its automatic chooses.
    public var isAdjustingWhiteBalance = false
    /// Whether the lens is held still by its stabiliser.
    public var isLensStabilizationOn = false

    init(capabilities: CameraCapabilities) {
        self.capabilities = capabilities
    }
}
