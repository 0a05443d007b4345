/// Why a store did not do what it was given.
package struct StoreFailure: Error, Hashable, Sendable {
    /// One sentence, for a person.
    package let words: String
    /// What is to be done about it follows from this.
    package let cause: Cause
    /// How many times in a row it did not.
    package var times = 1

    /// Why it did not.
    package enum Cause: Hashable, Sendable {
        /// What concerns this alone, or passes: another program is in the way, say.
        case passing
        /// The schema rules it out: it never will be taken.
        case schema
        /// The catalogue cannot be read or written where it lies.
        case brokenDisk
        /// The library's disk is full, read-only or gone: nothing else would be taken now either.
        case closedDisk
    }

    package init(_ words: String, _ cause: Cause = .passing) { (self.words, self.cause) = (words, cause) }
}
