/// Why a store did not do what it was given.
package struct StoreFailure: Error, Hashable, Sendable {
    /// One sentence, for a person.
    package let words: String
    /// Whether it never will: the schema rules it out.
    package let isPermanent: Bool
    /// Whether its disk failed, rather than being full, or another program being in the way.
    package let isOfDisk: Bool
    /// Whether nothing else would be taken now either: the disk is full, read-only or gone.
    package let stopsAll: Bool

    package init(_ words: String, isPermanent: Bool = false, isOfDisk: Bool = false, stopsAll: Bool = false) {
        (self.words, self.isPermanent) = (words, isPermanent)
        (self.isOfDisk, self.stopsAll) = (isOfDisk, stopsAll)
    }
}
