/// One thing that becomes true in the catalogue; writing it twice does no harm.
package enum CatalogueChange: Sendable, Hashable {
    /// The coordinator's clock was set: what UTC would be now in terms of this run's rig time, had its machine never slept.
    case anchored(Moment)
    /// The coordinator's machine was suspended.
    case slept(UTCTimeline.Sleep)
    /// A node was seen.
    case node(name: NodeName, CameraCapabilities?, software: String? = nil, at: UTCTime)
    case capture(NewCapture)
    /// A capture that was refused after all; none of it happened, and its request may be tried again.
    case captureWithdrawn(UniqueID)
    /// An operator cancelled it; only the first one counts.
    case captureCancelled(UniqueID, by: NodeName, at: UTCTime)
    case captureState(UniqueID, CaptureState, reason: String?, fireRigTime: RigTime?, at: UTCTime)
    /// Where a node's part stands, and why it is not complete.
    case captureNodeState(UniqueID, node: NodeName, PartPhase, CaptureState, CaptureError?)
    /// How far apart the nodes were expected to begin, and the furthest that the plan allows, in nanoseconds.
    case captureSync(UniqueID, predictedSpread: Int64?, maxSpread: Int64?)
    /// How much later than the others a node fires, and how well it knew rig time; in nanoseconds.
    case captureNodeSync(UniqueID, node: NodeName, offset: Int64, clockStatus: String?, clockBound: Int64?)
    /// The camera that takes a node's part.
    case captureNodeCamera(UniqueID, node: NodeName, CameraUsed)
    /// A lifecycle event, and with it the photo that it reports.
    case event(node: NodeName, CaptureEvent)
    case photoStored(PhotoID, path: String, at: UTCTime)
    /// A photo that will not come, as far as is known; revised when it does.
    case photoFailed(PhotoID, PhotoSlot, CaptureError)
    /// A photo that was stored is no longer in the library.
    case photoLost(PhotoID, CaptureError)
    /// What a person said of a capture.
    case annotated(UniqueID, Annotation, at: UTCTime)
    /// What a person said of a photo.
    case photoAnnotated(PhotoID, Annotation, at: UTCTime)
    /// A capture was deleted as a whole, with all photos that are in the library: they go into the trash.
    case captureDeleted(UniqueID, by: NodeName, at: UTCTime)
    /// A photo that was in the library was deleted: it goes into the trash.
    case photoDeleted(PhotoID, at: UTCTime)
    /// A capture is as before it was deleted, with the photos of it that are in the trash: those that were deleted from an
    /// instant on; nil for all.
    case captureRecovered(UniqueID, deletedSince: UTCTime? = nil, at: UTCTime)
    /// What was deleted of a capture up to an instant leaves the trash for good.
    case trashEmptied(UniqueID, deletedUntil: UTCTime, at: UTCTime)
    /// Something that watchers are told once this is durable.
    case news(News)
}
