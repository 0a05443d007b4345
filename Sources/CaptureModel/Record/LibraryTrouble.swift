/// Why a library takes nothing now.
package struct LibraryTrouble: Codable, Hashable, Sendable {
    /// What it is, in a word that programs can rely on.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        case full, readOnly, lost, failing
    }

    /// What it is.
    package let kind: Kind
    /// The same in a sentence, with what to do.
    package let words: String

    package init(_ kind: Kind, _ words: String) { (self.kind, self.words) = (kind, words) }
}
