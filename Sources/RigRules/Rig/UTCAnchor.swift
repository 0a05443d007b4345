import CaptureModel

/// Notices that the coordinator's clock was set, so that rig time stands for a different UTC, and that its machine slept;
/// pure.
///
/// Rig time runs as fast as UTC, so only a step or a sleep changes the difference between them; CLOCK_BOOTTIME, which
/// nobody sets, tells the two apart. One reading can be held up on its way from the clock: two must agree. The first two
/// are reported as well: what the run began with may be older than the first step of NTP.
struct UTCAnchor: Sendable {
    /// Differences of up to this mean nothing, in nanoseconds.
    private static let tolerance: Int64 = 5_000_000

    /// UTC minus rig time without the sleeps, in nanoseconds: as it is in the catalogue, and as it was read last.
    private var known: Int64?
    private var last: (moment: Moment, offset: Int64)?
    /// How long the machine has slept in this run, in nanoseconds.
    private var slept: Int64 = 0

    /// Reads the clocks.
    ///
    /// - Returns: what the catalogue has to be told.
    mutating func read(_ moment: Moment) -> [CatalogueChange] {
        var changes: [CatalogueChange] = []
        if let last, moment.suspended - last.moment.suspended > Self.tolerance {
            let sleep = UTCTimeline.Sleep(
                rigTime: last.moment.rigTime, nanoseconds: moment.suspended - last.moment.suspended)
            slept += sleep.nanoseconds
            changes.append(.slept(sleep))
        }
        let offset = moment.utc.rawValue * 1000 - moment.rigTime.nanoseconds - slept
        defer { last = (moment, offset) }
        guard let last, abs(offset - last.offset) <= Self.tolerance else { return changes }
        if let known, abs(offset - known) <= Self.tolerance { return changes }
        known = offset
        return changes + [.anchored(Moment(rigTime: moment.rigTime, utc: moment.utc - slept))]
    }
}
