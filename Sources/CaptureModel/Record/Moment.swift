/// An instant on both of a coordinator's clocks: rig time, which never steps, and UTC, which people set.
package struct Moment: Hashable, Sendable {
    /// Of this run of the coordinator's machine: it starts over with each boot.
    package let rigTime: RigTime
    /// By the coordinator's CLOCK_REALTIME.
    package let utc: UTCTime

    package init(rigTime: RigTime, utc: UTCTime) {
        (self.rigTime, self.utc) = (rigTime, utc)
    }
}
