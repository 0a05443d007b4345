package import CaptureModel

/// What the last check of a library found.
package struct VerdictDocument: Codable, Sendable {
    /// When it ended.
    package var at: WallTime
    /// How many captures the catalogue knew, how many photos they were to have, and how many of those lay in the library.
    package var captureCount, expectedPhotoCount, storedPhotoCount: Int
    /// How many photos were gone that had been stored.
    package var lostPhotoCount: Int
    /// How many problems there were; after a repair, how many were left.
    package var problemCount: Int
    /// The first of them, one sentence each.
    package var problems: [String]

    package init(_ verdict: LibraryVerdict) {
        at = WallTime(verdict.checkedAt)
        (captureCount, expectedPhotoCount) = (verdict.captureCount, verdict.expectedPhotoCount)
        (storedPhotoCount, lostPhotoCount) = (verdict.storedPhotoCount, verdict.lostPhotoCount)
        (problemCount, problems) = (verdict.problemCount, verdict.problems)
    }
}
