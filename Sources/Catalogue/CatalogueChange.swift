package import CaptureModel

/// A capture when it is accepted.
package struct NewCapture: Sendable, Hashable {
    package var uniqueID: UniqueID
    package var requestID: String
    package var planName: String
    /// As JSON.
    package var plan: String
    package var bracketKind: BracketKind
    package var stepCount: Int
    package var policy: String
    package var session: String?
    package var labels: [String: String]
    /// Microseconds since the Unix epoch.
    package var createdAt: Int64
    package var nodes: [String]
    package var expectedPhotoCount: Int

    package init(
        uniqueID: UniqueID, requestID: String, planName: String, plan: String, bracketKind: BracketKind,
        stepCount: Int, policy: String, session: String?, labels: [String: String], createdAt: Int64,
        nodes: [String], expectedPhotoCount: Int
    ) {
        self.uniqueID = uniqueID
        self.requestID = requestID
        self.planName = planName
        self.plan = plan
        self.bracketKind = bracketKind
        self.stepCount = stepCount
        self.policy = policy
        self.session = session
        self.labels = labels
        self.createdAt = createdAt
        self.nodes = nodes
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// One thing that becomes true in the catalogue; each may be told twice without harm.
package enum CatalogueChange: Sendable, Hashable {
    /// Rig time of this run and, at the same instant, microseconds since the Unix epoch: the clock was set.
    case anchored(RigTime, at: Int64)
    /// A node was seen.
    case node(name: String, CameraCapabilities?, at: Int64)
    case capture(NewCapture)
    /// A capture that was refused after all; nothing of it happened, and its request may be tried again.
    case captureWithdrawn(UniqueID)
    case captureState(UniqueID, CaptureState, reason: String?, fireRigTime: RigTime?, at: Int64)
    case captureNodeState(UniqueID, node: String, CaptureState, CaptureError?)
    /// How far apart the nodes were expected to begin, and may at the most, in nanoseconds.
    case captureSync(UniqueID, predictedSpread: Int64?, maxSpread: Int64?)
    /// By how much a node fires later than the others, and what it knew of rig time; in nanoseconds.
    case captureNodeSync(UniqueID, node: String, offset: Int64, clockStatus: String?, clockBound: Int64?)
    /// A lifecycle event; with it the photo that it tells of.
    case event(node: String, CaptureEvent)
    case photoStored(UniqueID, node: String, photoCount: Int, path: String, at: Int64)
    /// A photo that will not come, as far as is known; revised when it does.
    case photoFailed(UniqueID, node: String, photoCount: Int, sequenceCount: Int, PhotoFormat, CaptureError)
    /// A photo that was stored is not in the library any more.
    case photoLost(UniqueID, node: String, photoCount: Int, CaptureError)
}
