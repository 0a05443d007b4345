/// Everything that the catalogue knows of one capture.
package struct CaptureDetail: Codable, Sendable, Hashable {
    /// What the list of captures says about it.
    package var summary: CaptureSummary
    /// The plan's policy in words: `all`, `atLeast 3`, `bestEffort`.
    package var policy: String
    /// What was to be captured; nil where this release cannot read it.
    package var plan: Plan?
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
    /// An instant of its run's rig time, and the same in UTC; nil where an older release answers.
    package var anchorRigTime: RigTime?
    package var anchoredAt: UTCTime?
    /// The sleeps of the coordinator's machine in that run; nil where there was none.
    package var sleeps: [UTCTimeline.Sleep]?

    /// Maps its rig times to UTC.
    package var timeline: UTCTimeline? {
        guard let anchorRigTime, let anchoredAt else { return nil }
        return UTCTimeline(anchor: Moment(rigTime: anchorRigTime, utc: anchoredAt), sleeps: sleeps ?? [])
    }

    /// How many exposures each node was to take, as far as is known.
    package var stepCount: Int {
        plan?.bracket.count ?? max(1, photos.map(\.record.sequenceCount).max() ?? 1)
    }

    /// When it was fired, which may be long after it was asked for; when it was asked for where it was not, or that is
    /// not known.
    package var firedAt: UTCTime {
        guard let fireRigTime, let timeline else { return summary.createdAt }
        return timeline.utc(of: fireRigTime)
    }

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
