/// Where a capture, or one node's part in it, stands. Every capture reaches one of the four final states.
///
/// ```
/// preparing -> firing -> collecting -> complete | partial | failed
///     |           |           |
///     +-----------+-----------+-------> cancelled
/// ```
package enum CaptureState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nodes resolve the settings.
    case preparing
    /// The instant is set; exposures are under way.
    case firing
    /// Exposures are over; photos are being delivered.
    case collecting
    case complete
    case partial
    case failed
    case cancelled

    /// Whether nothing more will happen to it.
    package var isFinal: Bool {
        switch self {
        case .preparing, .firing, .collecting: false
        case .complete, .partial, .failed, .cancelled: true
        }
    }
}
