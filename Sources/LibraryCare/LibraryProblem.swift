/// Why nothing can be done with a library.
package struct LibraryProblem: Error, CustomStringConvertible, Hashable {
    /// What kind of problem it is; it decides a program's exit status.
    package enum Kind: Sendable, Hashable {
        /// The given path is not a library, has no catalogue, or names a file that already exists.
        case wrongPlace
        /// A coordinator or another repair is using it.
        case inUse
        /// The catalogue, or the given copy, is damaged.
        case damaged
        /// Anything else, as the description says.
        case failed
    }

    /// What kind of problem it is.
    package let kind: Kind
    /// What happened and what to do, as a sentence.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
