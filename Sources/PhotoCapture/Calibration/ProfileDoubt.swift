/// Whether what was learned of a camera is still believed; pure.
///
/// A capture that lost photos to wrong exposures is a reason to learn the camera anew. Where that changed nothing, the
/// cause is another one: then it takes twice as many of them the next time.
struct ProfileDoubt: Sendable {
    private static let most = 64

    private var failures = 0
    private var patience = 1

    /// Whether the camera should be learned anew before its next bracket.
    var isDue: Bool { failures >= patience }

    /// A capture has ended.
    ///
    /// - Parameter hasMismatches: whether photos were lost because no frame had the exposure that it should have had.
    mutating func note(hasMismatches: Bool) {
        if hasMismatches { failures += 1 } else { (failures, patience) = (0, 1) }
    }

    /// The camera was learned anew.
    mutating func learned() { (failures, patience) = (0, min(2 * patience, Self.most)) }
}
