/// What chooses the exposure. Apple: `AVCaptureDevice.ExposureMode`.
public enum ExposureMode: String, Hashable, Sendable, Codable, CaseIterable {
    case locked
    /// Meters once, then locks.
    case autoExpose
    case continuousAutoExposure
    /// A duration and an ISO that were set.
    case custom
}
