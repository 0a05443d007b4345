/// The name of a node: letters, digits, `-` and `_`, at most 64, so that it can be part of a path everywhere.
package struct NodeName: Hashable, Sendable, CustomStringConvertible {
    /// The name itself, which is ASCII.
    package let text: String

    /// Nil for text that is not a valid name.
    package init?(_ text: some StringProtocol) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isAllowed, (1...64).contains(text.utf8.count) else { return nil }
        self.text = String(text)
    }

    package var description: String { text }
}
