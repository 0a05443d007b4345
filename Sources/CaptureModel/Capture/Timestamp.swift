/// An instant in nanoseconds on one timeline; instants of different timelines do not mix.
package struct Timestamp<Timeline>: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Nanoseconds since the timeline's own, arbitrary zero.
    package let nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }

    package var description: String { "\(nanoseconds) ns" }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        lhs.nanoseconds < rhs.nanoseconds
    }

    /// The instant a number of nanoseconds later.
    package static func + (lhs: Self, nanoseconds: Int64) -> Self {
        Self(nanoseconds: lhs.nanoseconds + nanoseconds)
    }

    /// The instant a number of nanoseconds earlier.
    package static func - (lhs: Self, nanoseconds: Int64) -> Self {
        Self(nanoseconds: lhs.nanoseconds - nanoseconds)
    }

    /// The nanoseconds from the right instant to the left one.
    package static func - (lhs: Self, rhs: Self) -> Int64 {
        lhs.nanoseconds - rhs.nanoseconds
    }
}

/// The board's own CLOCK_MONOTONIC, the clock of V4L2 timestamps.
package enum MonotonicTimeline {}

/// The coordinator's CLOCK_MONOTONIC, the one time of a rig.
package enum RigTimeline {}

/// An instant on this board's CLOCK_MONOTONIC.
package typealias MonotonicTime = Timestamp<MonotonicTimeline>

/// An instant in rig time.
package typealias RigTime = Timestamp<RigTimeline>

extension Int64 {
    /// Nanoseconds in a number of milliseconds.
    package static func milliseconds(_ count: Int64) -> Int64 { count * 1_000_000 }

    /// Nanoseconds in a number of seconds.
    package static func seconds(_ count: Int64) -> Int64 { count * 1_000_000_000 }
}
