/// One photo as the catalogue has it.
package struct StoredPhoto: Codable, Sendable, Hashable {
    /// The name of the node that took it.
    package var node: NodeName
    /// What its node reported, or the error that settled it.
    package var record: PhotoRecord
    /// Relative to the library; nil while the file is not there.
    package var path: String?
    /// 1 to 5; nil where nobody has rated it.
    package var rating: Int?
    /// True where it is not to be used; nil otherwise.
    package var isRejected: Bool?
    /// What somebody wrote about it.
    package var note: String?
    /// When it was deleted; nil where it was not.
    package var deletedAt: UTCTime?
    /// Where it lies in the trash, relative to the library; nil where it is not there, or not any more.
    package var trashPath: String?

    package init(node: NodeName, record: PhotoRecord, path: String?) {
        self.node = node
        self.record = record
        self.path = path
    }

    /// What became of it.
    package var state: PhotoState {
        path != nil ? .stored : deletedAt != nil ? .deleted : record.error != nil ? .failed : .pending
    }

    /// Where its file belongs.
    ///
    /// - Parameter id: the capture's.
    package func place(in id: UniqueID) -> PhotoPlace {
        let photo = PhotoID(uniqueID: id, node: node, photoCount: record.photoCount)
        return PhotoPlace(photo, record.slot, state, hasPath: (path ?? trashPath) != nil)
    }
}
