package import CaptureModel

/// Whether the wall clock may decide what is thrown away, and how much of it; pure.
///
/// A clock that is ahead makes everything old: a time server that lies, or GPS that has counted over. So no clock decides
/// alone.
///
/// ```
///            jumps, or shows a time at a start that nobody can explain
/// trusted ------------------------------------------------------------> doubted --jumps again--+
///    ^  ^                                                                | |  ^                |
///    |  +-- it is back where it would be, had it not jumped -------------+ |  +----------------+
///    +----- it has stood for three days, or somebody agrees ---------------+
/// ```
///
/// What was in the trash before a jump ages from the jump on, so that nothing is deleted and removed by one jump; and in
/// a day at most a share of the library goes.
package struct RetentionClock: Sendable {
    /// For how long a time must stand before it is believed, while the coordinator runs, in nanoseconds. A machine that was
    /// off for longer is doubted at its start.
    package static let standing = Int64.seconds(3 * 86_400)
    /// A clock that is moved by up to this has not jumped, in nanoseconds.
    private static let tolerance = Int64.seconds(300)
    /// The share of all captures that is put into the trash in a day, and removed from it; a few in any case.
    private static let (share, fewest) = (10, 10)

    /// What has to be kept: it holds beyond the end of the coordinator.
    package private(set) var state: RetentionState
    /// CLOCK_BOOTTIME at the last look; nil before the first of this run.
    private var elapsed: Int64?

    /// - Parameter state: as a former run kept it.
    package init(_ state: RetentionState) { self.state = state }

    /// Whether it may decide.
    package var isTrusted: Bool { state.doubtedFor == nil }

    /// Looks at the clocks.
    ///
    /// - Parameter elapsed: CLOCK_BOOTTIME, in nanoseconds: it counts sleeps, and nobody sets it.
    package mutating func look(_ utc: UTCTime, elapsed: Int64) {
        let passed = self.elapsed.map { max(0, elapsed - $0) }
        let isJump = hasJumped(utc, passed)
        if let doubtedFor = state.doubtedFor {
            let expected = (state.expectedAt ?? utc) + (passed ?? 0)
            state.expectedAt = expected
            if isExpected(utc, expected, isStart: passed == nil) {
                trust(jumpedAt: nil)
            } else {
                state.doubtedFor = isJump ? 0 : doubtedFor + (passed ?? 0)
                if let stood = state.doubtedFor, stood >= Self.standing { trust(jumpedAt: utc - stood) }
            }
        } else if isJump {
            (state.doubtedFor, state.expectedAt) = (0, state.lookedAt + (passed ?? 0))
        }
        (state.lookedAt, self.elapsed) = (utc, elapsed)
        guard isTrusted, utc < state.dayBeganAt || utc - state.dayBeganAt >= .seconds(86_400) else { return }
        (state.dayBeganAt, state.deletedCount, state.emptiedCount) = (utc, 0, 0)
    }

    /// Somebody says that the clock is right.
    package mutating func agree() {
        guard let stood = state.doubtedFor else { return }
        trust(jumpedAt: state.lookedAt - stood)
    }

    /// Up to when what was deleted may be removed for good; nil for nothing.
    ///
    /// - Parameter age: how long it is to have been in the trash, in nanoseconds.
    package func emptiedUntil(age: Int64) -> UTCTime? {
        if let jumpedAt = state.jumpedAt, state.lookedAt - jumpedAt < age { return nil }
        return isTrusted ? state.lookedAt - age : nil
    }

    /// How many captures may still go today.
    ///
    /// - Parameter total: how many the library has.
    package func allowance(emptying: Bool, of total: Int) -> Int {
        max(0, max(Self.fewest, total / Self.share) - (emptying ? state.emptiedCount : state.deletedCount))
    }

    /// So many have gone.
    package mutating func count(_ captures: Int, emptying: Bool) {
        if emptying { state.emptiedCount += captures } else { state.deletedCount += captures }
    }

    private mutating func trust(jumpedAt: UTCTime?) {
        if let jumpedAt { state.jumpedAt = jumpedAt }
        (state.doubtedFor, state.expectedAt) = (nil, nil)
    }

    /// - Parameter passed: since the last look; nil where a former run looked, and nobody knows.
    private func hasJumped(_ utc: UTCTime, _ passed: Int64?) -> Bool {
        let moved = utc - state.lookedAt
        guard let passed else { return !(-Self.tolerance...Self.standing).contains(moved) }
        return !isNear(moved, passed)
    }

    private func isExpected(_ utc: UTCTime, _ expected: UTCTime, isStart: Bool) -> Bool {
        let ahead = utc - expected
        return isStart ? (-Self.tolerance...Self.standing).contains(ahead) : isNear(ahead, 0)
    }

    private func isNear(_ one: Int64, _ other: Int64) -> Bool {
        let (apart, overflow) = one.subtractingReportingOverflow(other)
        // A clock that nobody disciplines drifts by some seconds a day.
        return !overflow && apart.magnitude <= Self.tolerance.magnitude + other.magnitude / 1000
    }
}
