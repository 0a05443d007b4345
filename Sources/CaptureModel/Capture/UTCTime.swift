/// An instant in UTC, as a clock shows it that people set: unlike a ``Timestamp`` it can step.
package struct UTCTime: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// Microseconds since the Unix epoch.
    package let rawValue: Int64

    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The day that it is in.
    package var day: Day { Day(number: Int(rawValue.quotientFloor(86_400_000_000))) }

    /// `03:00:00`.
    package var timeOfDay: String {
        let second = rawValue.quotientFloor(1_000_000) - rawValue.quotientFloor(86_400_000_000) * 86_400
        return [second / 3600, second / 60 % 60, second % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// The part of a second that has passed, in microseconds.
    package var subSecond: Int64 { rawValue - rawValue.quotientFloor(1_000_000) * 1_000_000 }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// The instant a number of nanoseconds later, to the microsecond.
    package static func + (time: Self, nanoseconds: Int64) -> Self {
        Self(rawValue: time.rawValue + nanoseconds / 1000)
    }

    /// The instant a number of nanoseconds earlier, to the microsecond.
    package static func - (time: Self, nanoseconds: Int64) -> Self { time + -nanoseconds }

    /// The nanoseconds from the right instant to the left one; as many as there can be where they are centuries apart.
    package static func - (later: Self, earlier: Self) -> Int64 {
        let (apart, isFar) = later.rawValue.subtractingReportingOverflow(earlier.rawValue)
        let (nanoseconds, isTooFar) = apart.multipliedReportingOverflow(by: 1000)
        return isFar || isTooFar ? (later < earlier ? .min : .max) : nanoseconds
    }
}

extension UTCTime: ExpressibleByIntegerLiteral {
    /// Microseconds since the Unix epoch, where they stand in the source.
    package init(integerLiteral value: Int64) { self.init(rawValue: value) }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    fileprivate func quotientFloor(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
