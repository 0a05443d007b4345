package import CaptureModel

/// What a driver's automatic is told to do.
package enum CameraAutomatic: Hashable, Sendable {
    /// The driver's own metering; the core meters by itself wherever it can write exposures.
    case exposure(isOn: Bool)
    /// Continuous autofocus.
    case focus(isOn: Bool, AutoFocusRangeRestriction)
    /// Focuses once.
    case focusOnce(AutoFocusRangeRestriction)
    case whiteBalance(isOn: Bool)
    /// Adjusts the white balance once.
    case whiteBalanceOnce
    case lensStabilization(isOn: Bool)
}
