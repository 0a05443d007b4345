/// What moves the lens. Apple: `AVCaptureDevice.FocusMode`.
public enum FocusMode: String, Hashable, Sendable, Codable, CaseIterable {
    case locked
    /// Focuses once, then locks.
    case autoFocus
    case continuousAutoFocus
}

/// How far the autofocus looks. Apple: `AVCaptureDevice.AutoFocusRangeRestriction`.
public enum AutoFocusRangeRestriction: String, Hashable, Sendable, Codable, CaseIterable {
    case none, near, far
}
