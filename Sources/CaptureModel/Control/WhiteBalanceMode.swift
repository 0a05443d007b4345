/// What chooses the white balance. Apple: `AVCaptureDevice.WhiteBalanceMode`.
public enum WhiteBalanceMode: String, Hashable, Sendable, Codable, CaseIterable {
    case locked
    /// Adjusts once, then locks.
    case autoWhiteBalance
    case continuousAutoWhiteBalance
}
