/// Why a store did not do what it was given.
package struct StoreFailure: Error, Hashable, Sendable {
    /// One sentence.
    package let words: String
    /// It never will: the schema says that this cannot be.
    package let isPermanent: Bool

    package init(_ words: String, isPermanent: Bool = false) {
        (self.words, self.isPermanent) = (words, isPermanent)
    }
}
