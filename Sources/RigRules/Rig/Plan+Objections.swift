package import CaptureModel
package import RigClock

extension Plan {
    /// Why a node's clock will not do for a plan; nil where it will.
    ///
    /// A clock that runs free will do as long as its bound does: the capture records what it was. Two nodes can be
    /// apart by the sum of their bounds without anybody knowing.
    package func objection(to clock: ClockEstimate, of node: NodeName) -> CaptureError? {
        guard clock.isKnown else {
            return CaptureError(
                .clockNotSynchronised,
                "The clock of node \(node) is \(clock.status.rawValue); "
                    + "it is active about two seconds after the node joins.")
        }
        guard let maxSpread, clock.boundNanoseconds > maxSpread / 2 else { return nil }
        return CaptureError(
            .clockNotSynchronised,
            "Node \(node) knows rig time to ±\(Self.milliseconds(clock.boundNanoseconds)) ms only, so two such nodes "
                + "can be twice that apart; the plan allows a spread of \(Self.milliseconds(maxSpread)) ms.")
    }

    /// Why a camera whose exposure starts are known this well will not do for a plan; nil where it will.
    ///
    /// - Parameter uncertainty: how far a start may lie from the reported one, rig time included, in nanoseconds.
    package func objection(toStartsWithin uncertainty: Int64, of node: NodeName) -> CaptureError? {
        guard let maxSpread, uncertainty > maxSpread / 2 else { return nil }
        return CaptureError(
            .spreadTooWide,
            "The camera of node \(node) reports when an exposure begins to ±\(Self.milliseconds(uncertainty)) ms only, "
                + "so nobody could say whether two such nodes kept to the \(Self.milliseconds(maxSpread)) ms that the "
                + "plan allows. Allow at least \(Self.milliseconds(2 * uncertainty)) ms, or leave maxSpread out: the "
                + "capture records what is known.")
    }

    /// Why a node's spool has no room for this many photos; nil where they fit, with room for the events.
    ///
    /// - Parameters:
    ///   - free: how much more the spool may take, in bytes.
    ///   - byteCount: no photo is larger.
    package static func objection(
        toSpool free: Int64, of node: NodeName, photoCount: Int, largest byteCount: Int64
    ) -> CaptureError? {
        let needed = Int64(photoCount) * byteCount + 16 << 20
        guard free < needed else { return nil }
        return CaptureError(
            .diskFull,
            "The spool of node \(node) may take \(max(0, free) >> 20) MiB more, and \(needed >> 20) MiB may be needed. "
                + "Free some space on its disk, raise its spoolLimit, or wait until the coordinator has fetched what "
                + "it holds.")
    }
}
