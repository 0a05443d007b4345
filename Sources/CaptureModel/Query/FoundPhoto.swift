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

    /// Which photo of which node it is.
    package var id: PhotoID {
        PhotoID(uniqueID: uniqueID, node: photo.node, photoCount: photo.record.photoCount)
    }

    package init(uniqueID: UniqueID, session: String?, createdAt: UTCTime, state: PhotoState, photo: StoredPhoto) {
        (self.uniqueID, self.session, self.createdAt) = (uniqueID, session, createdAt)
        (self.state, self.photo) = (state, photo)
    }
}
