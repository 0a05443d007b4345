package import CaptureModel

/// node -> coordinator: who I am and what I can do. First on every connection, repeated until answered.
package struct Hello: WireMessage, Hashable {
    package static let type = "hello"
    /// The node's name, which must be the one that its key belongs to.
    package var node: NodeName
    /// Different for each start of the program: it tells a restart from a second node of the same name.
    package var instance: String
    /// What the node's camera can do; nil while there is none.
    package var capabilities: CameraCapabilities?
    /// Why there is no camera, where there is none.
    package var cameraError: CaptureError?
    /// The greatest uniqueID that this node has ever seen.
    package var lastUniqueID: UniqueID
    /// The epoch of the coordinator that it obeys; see ``Welcome/epoch``.
    package var epoch: Int64
    /// The oldest and the newest version of the wire that the node speaks.
    package var versions: [Int]
    /// The release of the node's program.
    package var software: String?

    package init(
        node: NodeName, instance: String, capabilities: CameraCapabilities?, cameraError: CaptureError?,
        lastUniqueID: UniqueID, epoch: Int64 = 0, versions: [Int] = WireVersion.spoken,
        software: String? = Release.version
    ) {
        self.node = node
        self.instance = instance
        self.capabilities = capabilities
        self.cameraError = cameraError
        self.lastUniqueID = lastUniqueID
        self.epoch = epoch
        self.versions = versions
        self.software = software
    }
}

/// Both ways, every second: I am here.
package struct Heartbeat: WireMessage, Hashable {
    package static let type = "heartbeat"
    /// The node's view of rig time; the coordinator sends none.
    package var clock: ClockReport?
    /// The grid that the node's frames are to begin on; only the coordinator sends one.
    package var grid: FrameGrid?
    /// How much more the node's spool may take, in bytes; only a node sends it.
    package var spoolFreeBytes: Int64?

    package init(clock: ClockReport? = nil, grid: FrameGrid? = nil, spoolFreeBytes: Int64? = nil) {
        self.clock = clock
        self.grid = grid
        self.spoolFreeBytes = spoolFreeBytes
    }
}

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

/// node -> coordinator: this capture will not happen here, and no part of it did.
package struct Refused: WireMessage, Hashable {
    package static let type = "refused"
    /// The capture that the node was to prepare or to fire.
    package var uniqueID: UniqueID
    /// Why it is refused.
    package var error: CaptureError

    package init(uniqueID: UniqueID, error: CaptureError) {
        self.uniqueID = uniqueID
        self.error = error
    }
}

/// node -> coordinator: one lifecycle event, durable on the node; sent again until `stored`.
package struct EventReport: WireMessage, Hashable {
    package static let type = "event"
    /// The callback, numbered for its capture so that the coordinator can acknowledge it.
    package var event: CaptureEvent

    package init(event: CaptureEvent) {
        self.event = event
    }
}

/// node -> coordinator: a clean stop; captures under way are over.
package struct Goodbye: WireMessage, Hashable {
    package static let type = "goodbye"

    package init() {}
}
