import CaptureModel

/// Notices that the coordinator's clock was set, so that rig time stands for a different UTC; pure.
///
/// Rig time runs as fast as UTC, so only a step changes the difference between them. One reading can be held up on its
/// way from the clock: two must agree. The first two are reported as well: what the run began with may be older than
/// the first step of NTP.
struct UTCAnchor: Sendable {
    /// Differences of up to this mean nothing, in nanoseconds.
    private static let tolerance: Int64 = 5_000_000

    /// UTC minus rig time, in nanoseconds: as it is in the catalogue, and as it was read last.
    private var known: Int64?
    private var last: Int64?

    /// Reads both clocks.
    ///
    /// - Returns: whether the catalogue has to be told.
    mutating func read(_ moment: Moment) -> Bool {
        let offset = moment.utc.rawValue * 1000 - moment.rigTime.nanoseconds
        defer { last = offset }
        guard let last, abs(offset - last) <= Self.tolerance else { return false }
        if let known, abs(offset - known) <= Self.tolerance { return false }
        known = offset
        return true
    }
}
