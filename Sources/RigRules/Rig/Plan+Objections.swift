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

    /// What a plan has against a camera that tells only so well when its exposures begin; nil where that will do.
    ///
    /// - Parameter uncertainty: how far a start may lie from what is told, rig time included, in nanoseconds.
    package func objection(toStartsWithin uncertainty: Int64, of node: String) -> CaptureError? {
        guard let maxSpread, uncertainty > maxSpread / 2 else { return nil }
        return CaptureError(
            .spreadTooWide,
            "The camera of node \(node) tells when an exposure begins to ±\(Self.milliseconds(uncertainty)) ms only, so "
                + "that nobody could say whether two such nodes kept the \(Self.milliseconds(maxSpread)) ms that the plan "
                + "allows. Allow at least \(Self.milliseconds(2 * uncertainty)) ms, or leave maxSpread out: the capture "
                + "says what is known.")
    }

    /// What there is against photos on a node whose spool may take this much more; nil where they fit, with room for the
    /// events.
    ///
    /// - Parameter free: in bytes.
    package static func objection(
        toSpool free: Int64, of node: String, photoCount: Int, _ formats: [PhotoFormat], _ camera: CameraCapabilities
    ) -> CaptureError? {
        let needed = Int64(photoCount) * camera.largestPhotoByteCount(of: formats) + 16 << 20
        guard free < needed else { return nil }
        return CaptureError(
            .diskFull,
            "The spool of node \(node) may take \(max(0, free) >> 20) MiB more, and \(needed >> 20) MiB may be needed. Free "
                + "some of its disk, raise its spoolLimit, or wait until the coordinator has fetched what it holds.")
    }
}
