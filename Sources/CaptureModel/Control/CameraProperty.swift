/// Something of a camera that can be set by hand, under the name that AVFoundation has for it.
package enum CameraProperty: String, Hashable, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    case exposureMode, exposureDuration, iso
    /// The driver's own, which has no unit; where there is no ISO.
    case gain
    case exposureTargetBias, exposurePointOfInterest, activeMaxExposureDuration
    case focusMode, lensPosition, autoFocusRangeRestriction
    case whiteBalanceMode, whiteBalance
    case lensStabilization
}
