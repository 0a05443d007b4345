/// Whether a photo's exposure is known to be the one that was asked for.
public enum Verification: Hashable, Sendable, Codable {
    case verified
    /// The frame carries a different exposure; the photo is an error.
    case mismatch
    /// It cannot be known; the reason is a sentence.
    case unverifiable(reason: String)

    /// The word that the catalogue keeps.
    public var name: String {
        switch self {
        case .verified: "verified"
        case .mismatch: "mismatch"
        case .unverifiable: "unverifiable"
        }
    }

    /// Why it cannot be known.
    public var reason: String? {
        if case .unverifiable(let reason) = self { reason } else { nil }
    }
}
