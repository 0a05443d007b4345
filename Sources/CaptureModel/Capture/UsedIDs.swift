/// The ids that were used, in bounded memory; pure.
///
/// Ids grow, so the lowest are forgotten: everything up to them counts as used.
package struct UsedIDs: Sendable {
    private static let limit = 1024

    private var floor: UniqueID?
    private var recent: Set<UniqueID> = []

    package init() {}

    /// Whether an id was used; true of every id up to the greatest forgotten one.
    package func contains(_ id: UniqueID) -> Bool {
        floor.map { id <= $0 } ?? false || recent.contains(id)
    }

    /// Uses an id.
    ///
    /// - Returns: whether that is its first use.
    @discardableResult
    package mutating func insert(_ id: UniqueID) -> Bool {
        guard !contains(id) else { return false }
        recent.insert(id)
        if recent.count > Self.limit, let lowest = recent.min() {
            recent.remove(lowest)
            floor = lowest
        }
        return true
    }
}
