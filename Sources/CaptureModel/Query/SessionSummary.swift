/// One shoot, as its captures tell of it.
package struct SessionSummary: Codable, Sendable, Hashable {
    /// The operator's name for it; nil for captures without one.
    package var session: String?
    /// How many captures it has.
    package var captureCount: Int
    /// How many of those are over and not complete.
    package var incompleteCount: Int
    /// How many photos its captures owe, and how many are in the library.
    package var expectedPhotoCount, storedPhotoCount: Int
    /// When its first and its last capture were accepted.
    package var firstAt, lastAt: UTCTime

    package init(
        session: String?, captureCount: Int, incompleteCount: Int, expectedPhotoCount: Int, storedPhotoCount: Int,
        firstAt: UTCTime, lastAt: UTCTime
    ) {
        (self.session, self.captureCount, self.incompleteCount) = (session, captureCount, incompleteCount)
        (self.expectedPhotoCount, self.storedPhotoCount) = (expectedPhotoCount, storedPhotoCount)
        (self.firstAt, self.lastAt) = (firstAt, lastAt)
    }
}
