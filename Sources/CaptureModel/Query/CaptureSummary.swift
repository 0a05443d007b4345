/// One line of the list of captures.
package struct CaptureSummary: Codable, Sendable, Hashable {
    /// The capture's identity, which `show` and `cancel` take.
    package var uniqueID: UniqueID
    /// Where it stands; a final state may still be revised when a lost node comes back.
    package var state: CaptureState
    /// Why it is not complete.
    package var reason: String?
    /// ``Plan/name``, which need not be unique.
    package var planName: String
    /// The session that its operator gave; nil where none was given.
    package var session: String?
    /// What was before the cameras; nil where that was not said.
    package var subject: String?
    /// Which attempt at the subject it is, within its session: 1 for the first.
    package var take: Int?
    /// 1 to 5; nil where nobody has rated it.
    package var rating: Int?
    /// True where it is not to be used; nil otherwise.
    package var isRejected: Bool?
    /// What somebody wrote about it.
    package var note: String?
    /// When somebody last said something of it, or of a photo of it.
    package var annotatedAt: UTCTime?
    /// The operator who asked for it; nil in a capture from a release that did not record that.
    package var firedBy: NodeName?
    /// What its operator attached to it, for captures to be found by.
    package var labels: [String: String]
    /// When it was accepted.
    package var createdAt: UTCTime
    /// How many nodes it was for, those that refused included.
    package var nodeCount: Int
    /// How many photos its nodes owe together, failed ones included.
    package var expectedPhotoCount: Int
    /// How many photos are in the library.
    package var storedPhotoCount: Int
    /// How many photos were in the library, until somebody deleted them; nil for none.
    package var deletedPhotoCount: Int?
    /// When it was deleted as a whole, and by whom; nil where it was not.
    package var deletedAt: UTCTime?
    package var deletedBy: NodeName?
    /// The furthest that the nodes were apart in any step, in nanoseconds; nil where no step has two known starts.
    package var widestSpreadNanoseconds: Int64?

    package init(
        uniqueID: UniqueID, state: CaptureState, reason: String?, planName: String, session: String?,
        firedBy: NodeName?, labels: [String: String], createdAt: UTCTime, nodeCount: Int, expectedPhotoCount: Int,
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

extension CaptureSummary {
    /// The reason why one that is armed is not complete. Other releases have other words after the colon.
    package static let armedReason = "It is armed: its nodes hold it ready for the shutter."

    /// Whether it waits for the shutter.
    package var isArmed: Bool { state == .preparing && reason?.hasPrefix("It is armed:") == true }

    /// Whether its nodes were told to expose, as far as can be told from its state.
    package var isFired: Bool {
        switch state {
        case .firing, .collecting, .complete, .partial: true
        case .preparing, .failed, .cancelled: false
        }
    }
}
