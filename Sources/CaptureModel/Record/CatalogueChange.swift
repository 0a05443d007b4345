/// One thing that becomes true in the catalogue; each may be told twice without harm.
package enum CatalogueChange: Sendable, Hashable {
    /// The coordinator's clock was set: what UTC is now, of rig time of this run.
    case anchored(Moment)
    /// A node was seen.
    case node(name: String, CameraCapabilities?, software: String? = nil, at: Int64)
    case capture(NewCapture)
    /// A capture that was refused after all; nothing of it happened, and its request may be tried again.
    case captureWithdrawn(UniqueID)
    /// An operator gave it up; the first one counts.
    case captureCancelled(UniqueID, by: String, at: Int64)
    case captureState(UniqueID, CaptureState, reason: String?, fireRigTime: RigTime?, at: Int64)
    case captureNodeState(UniqueID, node: String, CaptureState, CaptureError?)
    /// How far apart the nodes were expected to begin, and may at the most, in nanoseconds.
    case captureSync(UniqueID, predictedSpread: Int64?, maxSpread: Int64?)
    /// By how much a node fires later than the others, and what it knew of rig time; in nanoseconds.
    case captureNodeSync(UniqueID, node: String, offset: Int64, clockStatus: String?, clockBound: Int64?)
    /// What takes a node's part.
    case captureNodeCamera(UniqueID, node: String, CameraUsed)
    /// A lifecycle event; with it the photo that it tells of.
    case event(node: String, CaptureEvent)
    case photoStored(PhotoID, path: String, at: Int64)
    /// A photo that will not come, as far as is known; revised when it does.
    case photoFailed(PhotoID, PhotoSlot, CaptureError)
    /// A photo that was stored is not in the library any more.
    case photoLost(PhotoID, CaptureError)
    /// Something that those who watch hear, once this is durable.
    case news(News)
}
