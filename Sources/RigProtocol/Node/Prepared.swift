package import CaptureModel

/// node -> coordinator: ready to fire.
package struct Prepared: WireMessage, Hashable {
    package static let type = "prepared"
    /// The capture that is held ready.
    package var uniqueID: UniqueID
    /// What the plan became on the node's camera.
    package var settings: ResolvedPhotoSettings
    /// How long the camera needs, before the first exposure and from step to step.
    package var timing: CaptureTiming
    /// What the node's camera has settled on by itself.
    package var settled: SharedSettings
    /// What the node knows about rig time now: newer than its last heartbeat.
    package var clock: ClockReport?
    /// How well the exposures' starts will be known in rig time; nil where nobody asks.
    package var starts: StartUncertainty?
    /// Whether the plan's settings beside its bracket are in force; nil from a node of a release that knows of none.
    package var hasSettings: Bool?

    package init(
        uniqueID: UniqueID, settings: ResolvedPhotoSettings, timing: CaptureTiming,
        settled: SharedSettings = SharedSettings(), clock: ClockReport? = nil, starts: StartUncertainty? = nil
    ) {
        self.uniqueID = uniqueID
        self.settings = settings
        self.timing = timing
        self.settled = settled
        self.clock = clock
        self.starts = starts
    }
}
