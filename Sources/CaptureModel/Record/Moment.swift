/// An instant by both of a coordinator's clocks: rig time, which never steps, and UTC, which people set.
package struct Moment: Hashable, Sendable {
    package let rigTime: RigTime
    /// Microseconds since the Unix epoch.
    package let utc: Int64

    package init(rigTime: RigTime, utc: Int64) {
        (self.rigTime, self.utc) = (rigTime, utc)
    }
}
