import CaptureModel

/// Notices that the coordinator's clock was set: UTC of rig time is another one than before; pure.
///
/// Rig time runs as UTC does, so that only a step changes what lies between them. One reading can be held up on its
/// way from the clock: two must agree. The first two are told as well: what the run began with may be older than the
/// first step of NTP.
struct UTCAnchor: Sendable {
    /// The difference up to which readings mean nothing, in nanoseconds.
    private static let tolerance: Int64 = 5_000_000

    /// UTC minus rig time, in nanoseconds: as it is in the catalogue, and as it was read last.
    private var known: Int64?
    private var last: Int64?

    /// Reads both clocks.
    ///
    /// - Returns: whether the catalogue has to be told.
    mutating func read(_ moment: Moment) -> Bool {
        let offset = moment.utc * 1000 - moment.rigTime.nanoseconds
        defer { last = offset }
        guard let last, abs(offset - last) <= Self.tolerance else { return false }
        if let known, abs(offset - known) <= Self.tolerance { return false }
        known = offset
        return true
    }
}
