/// Everything that the catalogue knows of one capture.
package struct CaptureDetail: Codable, Sendable, Hashable {
    /// What the list of captures says about it.
    package var summary: CaptureSummary
    /// The plan's policy in words: `all`, `atLeast 3`, `bestEffort`.
    package var policy: String
    /// The instant at which the rig was told to fire; nil where nothing was fired.
    package var fireRigTime: RigTime?
    /// The operator who cancelled it; nil where nobody did.
    package var cancelledBy: NodeName?
    /// The part of each node, those that refused included.
    package var nodes: [CaptureNodeDetail]
    /// All photos that were reported or owed, failed ones included.
    package var photos: [StoredPhoto]
    /// All callbacks that the nodes reported.
    package var events: [NodeEvent]
    /// For each step that at least two nodes exposed: how far apart they began.
    package var spreads: [StepSpread]
    /// How far apart they were expected to begin, in nanoseconds.
    package var predictedSpread: Int64?
    /// The plan's limit, in nanoseconds.
    package var maxSpread: Int64?

    package init(
        summary: CaptureSummary, policy: String, fireRigTime: RigTime?, nodes: [CaptureNodeDetail],
        photos: [StoredPhoto], events: [NodeEvent], spreads: [StepSpread]
    ) {
        self.summary = summary
        self.policy = policy
        self.fireRigTime = fireRigTime
        self.nodes = nodes
        self.photos = photos
        self.events = events
        self.spreads = spreads
    }
}

/// One node's part in a capture.
package struct CaptureNodeDetail: Codable, Sendable, Hashable {
    /// The node's name.
    package var node: NodeName
    /// Where its part stands, which may differ from the capture's state.
    package var state: CaptureState
    /// Why its part is not complete, in one sentence; nil where it is.
    package var reason: String?
    /// How many photos it owes, failed ones included.
    package var expectedPhotoCount: Int
    /// How much later than the rig it was to fire, in nanoseconds.
    package var offset: Int64 = 0
    /// The state of its knowledge of rig time when it was told to fire.
    package var clockStatus: String?
    /// How well it knew rig time then, in nanoseconds.
    package var clockBound: Int64?
    /// The camera that took the part; nil for a node that was never told to fire.
    package var camera: CameraUsed?

    package init(node: NodeName, state: CaptureState, reason: String?, expectedPhotoCount: Int) {
        self.node = node
        self.state = state
        self.reason = reason
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// One photo as the catalogue has it.
package struct StoredPhoto: Codable, Sendable, Hashable {
    /// The name of the node that took it.
    package var node: NodeName
    /// What its node reported, or the error that settled it.
    package var record: PhotoRecord
    /// Relative to the library; nil while the file is not there.
    package var path: String?

    package init(node: NodeName, record: PhotoRecord, path: String?) {
        self.node = node
        self.record = record
        self.path = path
    }
}

/// One event of one node.
package struct NodeEvent: Codable, Sendable, Hashable {
    /// The node's name.
    package var node: NodeName
    /// 1, 2, 3... without a gap, for this node in this capture.
    package var sequence: Int
    /// Which callback it was.
    package var kind: CaptureEventKind
    /// When the callback came; nil where the node did not know rig time.
    package var rigTime: RigTime?
    /// The exposure that it belongs to; nil for the first and the last event.
    package var sequenceCount: Int?
    /// The photo that it reports; nil unless it is `didFinishProcessingPhoto`.
    package var photoCount: Int?
    /// What went wrong, with the capture or with that photo.
    package var error: CaptureError?

    package init(
        node: NodeName, sequence: Int, kind: CaptureEventKind, rigTime: RigTime?, sequenceCount: Int?, photoCount: Int?,
        error: CaptureError?
    ) {
        self.node = node
        self.sequence = sequence
        self.kind = kind
        self.rigTime = rigTime
        self.sequenceCount = sequenceCount
        self.photoCount = photoCount
        self.error = error
    }
}

/// How far apart the nodes began one step.
package struct StepSpread: Codable, Sendable, Hashable {
    /// The step, 1 for the first.
    package var sequenceCount: Int
    /// How many nodes exposed the step at a known time.
    package var nodeCount: Int
    /// Latest start minus earliest start.
    package var spreadNanoseconds: Int64
    /// The spread is known to within this.
    package var uncertaintyNanoseconds: Int64

    package init(sequenceCount: Int, nodeCount: Int, spreadNanoseconds: Int64, uncertaintyNanoseconds: Int64) {
        self.sequenceCount = sequenceCount
        self.nodeCount = nodeCount
        self.spreadNanoseconds = spreadNanoseconds
        self.uncertaintyNanoseconds = uncertaintyNanoseconds
    }
}
