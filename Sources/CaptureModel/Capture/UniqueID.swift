/// The identity of one capture, across the whole rig and for ever.
///
/// Microseconds since the Unix epoch at the moment of allocation, raised where needed so that ids strictly
/// increase. It fits a JSON number in any language (below 2^53 until the year 2255).
public struct UniqueID: RawRepresentable, Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Grows from request to request.
    public let rawValue: Int64

    /// An id that was handed out before.
    public init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The number.
    public var description: String { String(rawValue) }

    /// Whether one was handed out before the other.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
