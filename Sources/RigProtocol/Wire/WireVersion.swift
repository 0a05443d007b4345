/// The versions of the wire that this program speaks.
///
/// A node says in its ``Hello`` which versions it speaks; if the coordinator speaks none of them, the node is rejected
/// and told why. So that any release can say this to any other, ``Hello`` and ``Rejected`` are read whatever their
/// version.
package enum WireVersion {
    /// Raised when a message changes in a way that an older reader would misread.
    package static let current = 6
    /// The oldest version that is still read.
    package static let oldest = 6
    /// The oldest and the newest version, as in ``Hello/versions``.
    package static let spoken = [oldest, current]

    /// Whether there is a version that both speak.
    ///
    /// - Parameter theirs: the oldest and the newest that the peer speaks.
    package static func isShared(with theirs: [Int]) -> Bool {
        guard let first = theirs.first, let last = theirs.last, first <= last else { return false }
        return first <= current && last >= oldest
    }
}
