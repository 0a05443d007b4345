/// Whether quality or speed counts for more. Apple: `AVCapturePhotoOutput.QualityPrioritization`.
///
/// Apple lets balanced and quality override a custom exposure; here no value ever touches the exposure. It only
/// decides how a photo is compressed.
public enum PhotoQualityPrioritization: Int, Hashable, Comparable, Sendable, Codable, CaseIterable {
    case speed = 1
    case balanced
    case quality

    /// Whether one values quality less than the other.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
