/// The name of a node, or of an operator: letters, digits, `-` and `_`, at most 64, so that it can be part of a path everywhere.
///
/// In JSON it is a string, as a key too; one that is not valid is refused where it enters.
package struct NodeName: RawRepresentable, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable {
    /// The name itself, which is ASCII.
    package let rawValue: String

    /// Nil for text that is not a valid name.
    package init?(rawValue: String) { self.init(rawValue) }

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
        rawValue = String(text)
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension NodeName: CustomStringConvertible, ExpressibleByStringLiteral {
    package var description: String { rawValue }

    /// A name that stands in the source; one that is not valid traps.
    package init(stringLiteral text: String) {
        guard let name = Self(text) else { preconditionFailure("'\(text)' is not the name of a node") }
        self = name
    }
}

extension Sequence<NodeName> {
    /// The names as a sentence lists them.
    package func joined(separator: String = ", ") -> String { map(\.rawValue).joined(separator: separator) }
}
