/// What of a capture can be deleted, or lies in the trash.
package struct DeletablePhotos: Codable, Sendable, Hashable {
    /// The capture.
    package var uniqueID: UniqueID
    /// The capture's session.
    package var session: String?
    /// When the capture was accepted.
    package var createdAt: UTCTime
    /// When it was deleted, or the last photo of it was; nil before that.
    package var deletedAt: UTCTime?
    /// Who deleted it as a whole; nil where nobody did.
    package var deletedBy: NodeName?
    /// How many photos these are.
    package var photoCount: Int
    /// Their size together.
    package var byteCount: Int

    package init(
        uniqueID: UniqueID, session: String?, createdAt: UTCTime, deletedAt: UTCTime?, deletedBy: NodeName?,
        photoCount: Int, byteCount: Int
    ) {
        (self.uniqueID, self.session, self.createdAt) = (uniqueID, session, createdAt)
        (self.deletedAt, self.deletedBy) = (deletedAt, deletedBy)
        (self.photoCount, self.byteCount) = (photoCount, byteCount)
    }
}
