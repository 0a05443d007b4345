package import CaptureModel
package import RigClock

extension Plan {
    /// What a plan has against a node's clock; nil where it will do.
    ///
    /// A clock that runs free will do as long as its bound does: the capture says what it was. Two nodes can be apart by
    /// the sum of their bounds without anybody knowing.
    package func objection(to clock: ClockEstimate, of node: String) -> CaptureError? {
        guard clock.isKnown else {
            return CaptureError(
                .clockNotSynchronised,
                "The clock of node \(node) is \(clock.status.rawValue); it is active some two seconds after the node joined."
            )
        }
        guard let maxSpread, clock.boundNanoseconds > maxSpread / 2 else { return nil }
        return CaptureError(
            .clockNotSynchronised,
            "Node \(node) knows rig time to ±\(Self.milliseconds(clock.boundNanoseconds)) ms only, so that two such nodes "
                + "can be twice that apart; the plan allows a spread of \(Self.milliseconds(maxSpread)) ms.")
    }

    /// For a sentence, to the microsecond.
    package static func milliseconds(_ nanoseconds: Int64) -> Double { (Double(nanoseconds) / 1e3).rounded() / 1e3 }
}
