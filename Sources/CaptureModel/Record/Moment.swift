/// An instant on both of a coordinator's clocks: rig time, which never steps, and UTC, which people set.
package struct Moment: Hashable, Sendable {
    /// Of this run of the coordinator's machine: it starts over with each boot.
    package let rigTime: RigTime
    /// By the coordinator's CLOCK_REALTIME.
    package let utc: UTCTime

    /// For how long the machine has been suspended since it booted, in nanoseconds: rig time stands still meanwhile.
    package let suspended: Int64

    package init(rigTime: RigTime, utc: UTCTime, suspended: Int64 = 0) {
        (self.rigTime, self.utc, self.suspended) = (rigTime, utc, suspended)
    }
}
