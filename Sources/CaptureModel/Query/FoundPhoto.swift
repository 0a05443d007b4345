/// One photo that was asked for, with what tells it from those of other captures.
package struct FoundPhoto: Codable, Sendable, Hashable {
    /// The capture that it belongs to.
    package var uniqueID: UniqueID
    /// The capture's session.
    package var session: String?
    /// When the capture was accepted.
    package var createdAt: UTCTime
    /// What became of it.
    package var state: PhotoState
    /// The photo itself.
    package var photo: StoredPhoto

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

    /// Which photo of which node it is.
    package var id: PhotoID {
        PhotoID(uniqueID: uniqueID, node: photo.node, photoCount: photo.record.photoCount)
    }

    package init(uniqueID: UniqueID, session: String?, createdAt: UTCTime, state: PhotoState, photo: StoredPhoto) {
        (self.uniqueID, self.session, self.createdAt) = (uniqueID, session, createdAt)
        (self.state, self.photo) = (state, photo)
    }
}
