/// An instant in nanoseconds on one timeline; instants of different timelines do not mix.
public struct Timestamp<Timeline>: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Nanoseconds since the timeline's own, arbitrary zero.
    public let nanoseconds: Int64

    /// An instant by its distance from the clock's zero.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads a number of nanoseconds.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a number of nanoseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    /// `1234 ns`.
    public var description: String { "\(nanoseconds) ns" }

    /// Whether one is earlier than the other.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }

    /// The instant a number of nanoseconds later.
    public static func + (lhs: Self, nanoseconds: Int64) -> Self {
        Self(nanoseconds: lhs.nanoseconds + nanoseconds)
    }

    /// The instant a number of nanoseconds earlier.
    public static func - (lhs: Self, nanoseconds: Int64) -> Self {
        Self(nanoseconds: lhs.nanoseconds - nanoseconds)
    }

    /// The nanoseconds from the right instant to the left one.
    public static func - (lhs: Self, rhs: Self) -> Int64 {
        lhs.nanoseconds - rhs.nanoseconds
    }
}

/// The board's own CLOCK_MONOTONIC, the clock of V4L2 timestamps.
public enum MonotonicTimeline {}

/// The coordinator's CLOCK_MONOTONIC, the common time of a rig.
public enum RigTimeline {}

/// An instant on this board's CLOCK_MONOTONIC.
public typealias MonotonicTime = Timestamp<MonotonicTimeline>

/// An instant in rig time.
public typealias RigTime = Timestamp<RigTimeline>

extension Int64 {
    /// Nanoseconds in a number of milliseconds.
    public static func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    /// Nanoseconds in a number of seconds.
    public static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }
}
