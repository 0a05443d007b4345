package import CaptureModel

/// How far a capture has come, as its archive or the catalogue has it.
package struct ArchiveProgress: Sendable, Hashable {
    package let isFinal: Bool
    /// Those that were deleted since are among them.
    package let storedPhotoCount: Int
    package let eventCount: Int
    /// When somebody last said something of it.
    package let annotatedAt: UTCTime?

    /// Whether it is to take the place of another account of the capture: any of what happened is more than that has, or
    /// that is the same, and more was said of it. What happened counts for more than what was said.
    package func exceeds(_ other: Self) -> Bool {
        let isMore =
            isFinal && !other.isFinal || storedPhotoCount > other.storedPhotoCount || eventCount > other.eventCount
        let isSame =
            (isFinal, storedPhotoCount, eventCount) == (other.isFinal, other.storedPhotoCount, other.eventCount)
        return isMore || isSame && annotatedAt ?? 0 > other.annotatedAt ?? 0
    }

    init(isFinal: Bool, storedPhotoCount: Int, eventCount: Int, annotatedAt: UTCTime?) {
        (self.isFinal, self.storedPhotoCount) = (isFinal, storedPhotoCount)
        (self.eventCount, self.annotatedAt) = (eventCount, annotatedAt)
    }

    /// That of a capture in the catalogue.
    package init(_ capture: CaptureDetail) {
        let summary = capture.summary
        self.init(
            isFinal: summary.state.isFinal,
            storedPhotoCount: summary.storedPhotoCount + (summary.deletedPhotoCount ?? 0),
            eventCount: capture.events.count, annotatedAt: summary.annotatedAt)
    }
}
