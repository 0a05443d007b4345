/// Everything that the catalogue knows of one capture.
package struct CaptureDetail: Codable, Sendable, Hashable {
    package var summary: CaptureSummary
    package var policy: String
    /// The instant that the rig was told to fire at.
    package var fireRigTime: RigTime?
    /// The operator who gave it up.
    package var cancelledBy: String?
    package var nodes: [CaptureNodeDetail]
    package var photos: [StoredPhoto]
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
    package var node: String
    package var state: CaptureState
    package var reason: String?
    package var expectedPhotoCount: Int
    /// By how much it was to fire later than the rig, in nanoseconds.
    package var offset: Int64 = 0
    /// What it knew of rig time when it was told to fire.
    package var clockStatus: String?
    /// In nanoseconds.
    package var clockBound: Int64?
    /// What took the part; nil for a node that was never told to fire.
    package var camera: CameraUsed?

    package init(node: String, state: CaptureState, reason: String?, expectedPhotoCount: Int) {
        self.node = node
        self.state = state
        self.reason = reason
        self.expectedPhotoCount = expectedPhotoCount
    }
}

/// One photo as the catalogue has it.
package struct StoredPhoto: Codable, Sendable, Hashable {
    package var node: String
    package var record: PhotoRecord
    /// Relative to the library; nil while the file is not there.
    package var path: String?

    package init(node: String, record: PhotoRecord, path: String?) {
        self.node = node
        self.record = record
        self.path = path
    }
}

/// One event of one node.
package struct NodeEvent: Codable, Sendable, Hashable {
    package var node: String
    package var sequence: Int
    package var kind: CaptureEventKind
    package var rigTime: RigTime?
    package var sequenceCount: Int?
    package var photoCount: Int?
    package var error: CaptureError?

    package init(
        node: String, sequence: Int, kind: CaptureEventKind, rigTime: RigTime?, sequenceCount: Int?, photoCount: Int?,
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
    package var sequenceCount: Int
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
