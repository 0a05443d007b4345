/// What a coordinator keeps of the clock by which it throws away what is old.
package struct RetentionState: Hashable, Sendable {
    /// The wall clock, when it was looked at last.
    package var lookedAt: UTCTime
    /// For how long a time that the clock jumped to has stood, in nanoseconds; nil while the clock is trusted.
    package var doubtedFor: Int64?
    /// What the clock would show had it not jumped; nil while it is trusted.
    package var expectedAt: UTCTime?
    /// The last time that the clock jumped to, and that was believed in the end.
    package var jumpedAt: UTCTime?
    /// How many captures went into the trash, and out of it for good, in the day that began then.
    package var dayBeganAt: UTCTime
    package var deletedCount = 0
    package var emptiedCount = 0

    package init(lookedAt: UTCTime) { (self.lookedAt, dayBeganAt) = (lookedAt, lookedAt) }
}
