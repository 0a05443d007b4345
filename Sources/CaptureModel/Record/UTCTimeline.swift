/// Rig time of one run told in UTC.
///
/// Rig time stands still while the coordinator's machine sleeps, and UTC does not: what is after a sleep is later by as
/// long as that was. A clock that is set moves the whole run, as it was wrong before.
package struct UTCTimeline: Hashable, Sendable {
    /// A sleep of the coordinator's machine.
    package struct Sleep: Codable, Hashable, Sendable {
        /// All that is later is after it.
        package let rigTime: RigTime
        /// How long it was.
        package let nanoseconds: Int64

        package init(rigTime: RigTime, nanoseconds: Int64) { (self.rigTime, self.nanoseconds) = (rigTime, nanoseconds) }
    }

    /// An instant in both, with a UTC as if the machine had never slept in this run.
    package let anchor: Moment
    /// In their order.
    package let sleeps: [Sleep]

    package init(anchor: Moment, sleeps: [Sleep]) { (self.anchor, self.sleeps) = (anchor, sleeps) }

    /// An instant of rig time.
    package func utc(of time: RigTime) -> UTCTime {
        let slept = sleeps.reduce(Int64(0)) { $1.rigTime < time ? $0 &+ $1.nanoseconds : $0 }
        return anchor.utc + (time - anchor.rigTime) + slept
    }
}
