package import CaptureModel

/// A capture, wherever a document has one: in lists without what `show` has beside it.
package struct CaptureDocument: Codable, Sendable {
    /// A node's part in the capture.
    package struct Part: Codable, Sendable {
        /// The name of the node.
        package var node: NodeName
        /// Where it stands.
        package var state: CaptureState
        /// Why it is not complete.
        package var reason: String?
        /// The photos that it owes.
        package var expectedPhotoCount: Int
        /// How much later than the rig it was to fire.
        package var offsetNanoseconds: Int64
        /// What it knew of rig time then.
        package var clockStatus: String?
        /// How well it knew rig time then.
        package var clockBoundNanoseconds: Int64?
        /// The camera that took the part.
        package var camera: CameraUsed?
    }

    /// The capture's identity.
    package var uniqueID: UniqueID
    /// Where it stands.
    package var state: CaptureState
    /// Why it is not complete.
    package var reason: String?
    /// The plan's name.
    package var planName: String
    /// When it was accepted.
    package var createdAt: WallTime
    /// Who asked for it, and who gave it up.
    package var firedBy, cancelledBy: NodeName?
    /// What its operator calls the shoot, and what was before the cameras.
    package var session, subject: String?
    /// Which attempt at the subject it is.
    package var take: Int?
    /// What its operator attached to it.
    package var labels: [String: String]
    /// 1 to 5; nil where nobody has rated it.
    package var rating: Int?
    /// True where it is not to be used.
    package var isRejected: Bool?
    /// What somebody wrote about it.
    package var note: String?
    /// When somebody last said something of it, and when it was deleted.
    package var annotatedAt, deletedAt: WallTime?
    /// Who deleted it as a whole.
    package var deletedBy: NodeName?
    /// Its nodes, the photos that these owe, and those that are in the library.
    package var nodeCount, expectedPhotoCount, storedPhotoCount: Int
    /// Photos that were in the library until somebody deleted them.
    package var deletedPhotoCount: Int?
    /// The furthest that the nodes were apart in any step.
    package var widestSpreadNanoseconds: Int64?
    /// The library's folder, on the coordinator's machine, where the document is of a demo.
    package var library: String?

    // What `show` has beside it.
    /// The plan's policy in words.
    package var policy: String?
    /// When the rig was told to begin, in rig time.
    package var fireRigTimeNanoseconds: Int64?
    /// The same in UTC.
    package var firedAt: WallTime?
    /// How far apart the nodes were expected to begin, and the furthest that the plan allows.
    package var predictedSpreadNanoseconds, maxSpreadNanoseconds: Int64?
    /// The part of each node, those that refused included.
    package var nodes: [Part]?
    /// All photos that were reported or owed.
    package var photos: [PhotoDocument]?
    /// How far apart the nodes began each step.
    package var spreads: [StepSpread]?
    /// All callbacks that the nodes reported.
    package var events: [EventDocument]?
    private var plan: Written<PlanDocument>?

    package init(_ summary: CaptureSummary) {
        (uniqueID, state, reason) = (summary.uniqueID, summary.state, summary.reason)
        (planName, createdAt, firedBy) = (summary.planName, WallTime(summary.createdAt), summary.firedBy)
        (session, subject, take, labels) = (summary.session, summary.subject, summary.take, summary.labels)
        (rating, isRejected, note) = (summary.rating, summary.isRejected, summary.note)
        annotatedAt = summary.annotatedAt.map { WallTime($0) }
        (deletedAt, deletedBy) = (summary.deletedAt.map { WallTime($0) }, summary.deletedBy)
        (nodeCount, expectedPhotoCount) = (summary.nodeCount, summary.expectedPhotoCount)
        (storedPhotoCount, deletedPhotoCount) = (summary.storedPhotoCount, summary.deletedPhotoCount)
        widestSpreadNanoseconds = summary.widestSpreadNanoseconds
    }

    package init(_ detail: CaptureDetail) {
        self.init(detail.summary)
        let timeline = detail.timeline
        (policy, cancelledBy) = (detail.policy, detail.cancelledBy)
        plan = detail.plan.map { Written(value: PlanDocument($0)) }
        (fireRigTimeNanoseconds, firedAt) = (
            detail.fireRigTime?.nanoseconds, timeline?.wallTime(of: detail.fireRigTime)
        )
        (predictedSpreadNanoseconds, maxSpreadNanoseconds) = (detail.predictedSpread, detail.maxSpread)
        nodes = detail.nodes.map { node in
            Part(
                node: node.node, state: node.state, reason: node.reason, expectedPhotoCount: node.expectedPhotoCount,
                offsetNanoseconds: node.offset, clockStatus: node.clockStatus, clockBoundNanoseconds: node.clockBound,
                camera: node.camera)
        }
        photos = detail.photos.map { PhotoDocument($0, timeline) }
        spreads = detail.spreads
        events = detail.events.map { EventDocument($0, timeline) }
    }
}

/// A callback of a node.
package struct EventDocument: Codable, Sendable {
    /// The name of the node; nil where a board captures by itself.
    package var node: NodeName?
    /// 1, 2, 3... without a gap, for each node of a capture.
    package var sequence: Int
    /// The delegate callback.
    package var kind: CaptureEventKind
    /// When it happened, in rig time.
    package var rigTimeNanoseconds: Int64?
    /// By its node's own clock, in what is told as it happens.
    package var nodeTimeNanoseconds: Int64?
    /// The same in UTC.
    package var at: WallTime?
    /// The step and the photo that it is about.
    package var sequenceCount, photoCount: Int?
    /// What went wrong.
    package var error: CaptureError?

    package init(_ event: NodeEvent, _ timeline: UTCTimeline?) {
        (node, sequence, kind) = (event.node, event.sequence, event.kind)
        (rigTimeNanoseconds, at) = (event.rigTime?.nanoseconds, timeline?.wallTime(of: event.rigTime))
        (sequenceCount, photoCount, error) = (event.sequenceCount, event.photoCount, event.error)
    }

    /// An event as its node reports it.
    init(_ event: CaptureEvent, of node: NodeName?) {
        (self.node, sequence, kind) = (node, event.sequence, event.kind)
        (rigTimeNanoseconds, nodeTimeNanoseconds) = (event.rigTime?.nanoseconds, event.time.nanoseconds)
        (sequenceCount, photoCount) = (event.sequenceCount, event.photo?.photoCount)
        error = event.error ?? event.photo?.error
    }
}

/// What is written and not read back.
struct Written<Value: Encodable & Sendable>: Codable, Sendable {
    let value: Value?

    init(value: Value) { self.value = value }

    init(from decoder: any Decoder) throws { value = nil }

    func encode(to encoder: any Encoder) throws { try value?.encode(to: encoder) }
}
