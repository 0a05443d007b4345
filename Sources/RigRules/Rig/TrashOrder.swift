package import CaptureModel

/// What is to become of captures, or of photos of theirs.
package struct TrashOrder: Sendable, Hashable {
    /// What is to be done.
    package enum Act: Sendable, Hashable {
        case delete
        case deletePhotos([PhotoID])
        /// Of each capture what was deleted from an instant on; nil for all.
        case recover(deletedSince: UTCTime? = nil)
        case empty(deletedUntil: UTCTime)
    }

    /// What is to be done.
    package let act: Act
    /// The captures that it is about, in order.
    package let captures: [UniqueID]
    /// Who wants it.
    package let user: NodeName

    package init(_ act: Act, _ captures: [UniqueID], by user: NodeName) {
        (self.act, self.captures, self.user) = (act, captures.sorted(), user)
    }

    /// Whether something leaves the trash for good.
    package var isEmptying: Bool { if case .empty = act { true } else { false } }
}
