/// One line of the list of captures.
package struct CaptureSummary: Codable, Sendable, Hashable {
    package var uniqueID: UniqueID
    package var state: CaptureState
    /// Why it is not complete.
    package var reason: String?
    package var planName: String
    package var session: String?
    /// The operator who asked for it; nil for one of a release that did not keep that.
    package var firedBy: String?
    package var labels: [String: String]
    /// Microseconds since the Unix epoch.
    package var createdAt: Int64
    package var nodeCount: Int
    package var expectedPhotoCount: Int
    package var storedPhotoCount: Int

    package init(
        uniqueID: UniqueID, state: CaptureState, reason: String?, planName: String, session: String?,
        firedBy: String?, labels: [String: String], createdAt: Int64, nodeCount: Int, expectedPhotoCount: Int,
        storedPhotoCount: Int
    ) {
        self.uniqueID = uniqueID
        self.state = state
        self.reason = reason
        self.planName = planName
        self.session = session
        self.firedBy = firedBy
        self.labels = labels
        self.createdAt = createdAt
        self.nodeCount = nodeCount
        self.expectedPhotoCount = expectedPhotoCount
        self.storedPhotoCount = storedPhotoCount
    }
}
