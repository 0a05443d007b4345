package import CaptureModel

/// A capture, wherever a document has one: in lists without what `show` has beside it.
package struct CaptureDocument: Codable, Sendable {
    /// A node's part in the capture.
    package struct Part: Codable, Sendable {
        package var node: NodeName
        package var state: CaptureState
        package var reason: String?
        package var expectedPhotoCount: Int
        package var offsetNanoseconds: Int64
        package var clockStatus: String?
        package var clockBoundNanoseconds: Int64?
        package var camera: CameraUsed?
    }

    package var uniqueID: UniqueID
    package var state: CaptureState
    package var reason: String?
    package var planName: String
    package var createdAt: WallTime
    package var firedBy, cancelledBy: NodeName?
    package var session, subject: String?
    package var take: Int?
    package var labels: [String: String]
    package var rating: Int?
    package var isRejected: Bool?
    package var note: String?
    package var annotatedAt, deletedAt: WallTime?
    package var deletedBy: NodeName?
    package var nodeCount, expectedPhotoCount, storedPhotoCount: Int
    package var deletedPhotoCount: Int?
    package var widestSpreadNanoseconds: Int64?
    /// The library's folder, on the coordinator's machine, where the document is of a demo.
    package var library: String?

    // What `show` has beside it.
    package var policy: String?
    package var fireRigTimeNanoseconds: Int64?
    package var firedAt: WallTime?
    package var predictedSpreadNanoseconds, maxSpreadNanoseconds: Int64?
    package var nodes: [Part]?
    package var photos: [PhotoDocument]?
    package var spreads: [StepSpread]?
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
        let anchor = detail.anchor
        (policy, cancelledBy) = (detail.policy, detail.cancelledBy)
        plan = detail.plan.map { Written(value: PlanDocument($0)) }
        (fireRigTimeNanoseconds, firedAt) = (
            detail.fireRigTime?.nanoseconds, anchor?.wallTime(of: detail.fireRigTime)
        )
        (predictedSpreadNanoseconds, maxSpreadNanoseconds) = (detail.predictedSpread, detail.maxSpread)
        nodes = detail.nodes.map { node in
            Part(
                node: node.node, state: node.state, reason: node.reason, expectedPhotoCount: node.expectedPhotoCount,
                offsetNanoseconds: node.offset, clockStatus: node.clockStatus, clockBoundNanoseconds: node.clockBound,
                camera: node.camera)
        }
        photos = detail.photos.map { PhotoDocument($0, anchor) }
        spreads = detail.spreads
        events = detail.events.map { EventDocument($0, anchor) }
    }
}

/// A callback of a node.
package struct EventDocument: Codable, Sendable {
    package var node: NodeName
    package var sequence: Int
    package var kind: CaptureEventKind
    package var rigTimeNanoseconds: Int64?
    package var at: WallTime?
    package var sequenceCount, photoCount: Int?
    package var error: CaptureError?

    package init(_ event: NodeEvent, _ anchor: Moment?) {
        (node, sequence, kind) = (event.node, event.sequence, event.kind)
        (rigTimeNanoseconds, at) = (event.rigTime?.nanoseconds, anchor?.wallTime(of: event.rigTime))
        (sequenceCount, photoCount, error) = (event.sequenceCount, event.photoCount, event.error)
    }
}

/// What is written and not read back.
struct Written<Value: Encodable & Sendable>: Codable, Sendable {
    let value: Value?

    init(value: Value) { self.value = value }

    init(from decoder: any Decoder) throws { value = nil }

    func encode(to encoder: any Encoder) throws { try value?.encode(to: encoder) }
}
