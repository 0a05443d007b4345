/// Why nothing can be done with a library.
package struct LibraryProblem: Error, CustomStringConvertible, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The path that was given names no library, or no catalogue, or a file that is there already.
        case wrongPlace
        /// A coordinator or another repair has it.
        case inUse
        /// What was given, or is there, is damaged.
        case damaged
        case failed
    }

    package let kind: Kind
    package let description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
