/// An instant on both of a coordinator's clocks: rig time, which never steps, and UTC, which people set.
package struct Moment: Hashable, Sendable {
    /// Of this run of the coordinator's machine: it starts over with each boot.
    package let rigTime: RigTime
    /// Microseconds since the Unix epoch.
    package let utc: Int64

    package init(rigTime: RigTime, utc: Int64) {
        (self.rigTime, self.utc) = (rigTime, utc)
    }
}
