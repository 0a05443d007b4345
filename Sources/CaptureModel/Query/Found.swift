/// What was found for an operator: as much of it as was wanted.
package struct Found<Item: Codable & Sendable & Hashable>: Codable, Sendable, Hashable {
    /// Those that were wanted, in order.
    package var items: [Item]
    /// How many there are in all; beyond ``mostCounted`` no more are counted.
    package var matchCount: Int
    /// Where nothing was found: what of the question names nothing that exists, one sentence each.
    package var remarks: [String]

    /// Up to here matches are counted.
    package static var mostCounted: Int { 100_000 }

    package init(items: [Item], matchCount: Int, remarks: [String] = []) {
        (self.items, self.matchCount, self.remarks) = (items, matchCount, remarks)
    }
}
