/// Decides whether what was learned about a camera is still believed; pure.
///
/// A capture that lost photos to wrong exposures is a reason to learn the camera anew. Where that changes nothing, the
/// cause lies elsewhere: after each attempt it takes twice as many such captures, and half as many after a capture in
/// which photos were proved right.
struct ProfileDoubt: Sendable {
    private static let mostPatience = 64

    private var failures = 0
    private var patience = 1

    /// Whether the camera should be learned anew.
    var isDue: Bool { failures >= patience }

    /// A capture has ended.
    ///
    /// - Parameters:
    ///   - hasMismatches: whether photos were lost because no frame had the exposure it should have had.
    ///   - hasVerified: whether any was proved right.
    mutating func note(hasMismatches: Bool, hasVerified: Bool) {
        if hasMismatches {
            failures += 1
        } else if hasVerified {
            (failures, patience) = (0, max(1, patience / 2))
        }
    }

    /// The camera was learned anew, or that failed.
    mutating func tried() { (failures, patience) = (0, min(2 * patience, Self.mostPatience)) }
}
