/// What the last check of a library's photos against its catalogue found.
package struct LibraryVerdict: Hashable, Sendable, Codable {
    /// The most problems that are kept in words.
    package static let mostProblems = 5

    /// When it ended, in UTC.
    package var checkedAt: UTCTime
    /// How many captures the catalogue knew, how many photos they were to have, and how many of those lay in the library.
    package var captureCount, expectedPhotoCount, storedPhotoCount: Int
    /// How many photos were gone that had been stored.
    package var lostPhotoCount: Int
    /// How many problems there were; after a repair, how many were left.
    package var problemCount: Int
    /// The first of them, one sentence each.
    package var problems: [String]

    package init(
        checkedAt: UTCTime, captureCount: Int, expectedPhotoCount: Int, storedPhotoCount: Int, lostPhotoCount: Int,
        problemCount: Int, problems: some Sequence<String>
    ) {
        self.checkedAt = checkedAt
        (self.captureCount, self.expectedPhotoCount) = (captureCount, expectedPhotoCount)
        (self.storedPhotoCount, self.lostPhotoCount) = (storedPhotoCount, lostPhotoCount)
        (self.problemCount, self.problems) = (problemCount, Array(problems.prefix(Self.mostProblems)))
    }
}
