/// A node's name, or a pattern of names: `*` stands for any characters, `?` for one.
package struct NodePattern: RawRepresentable, Hashable, Sendable, Codable {
    /// The pattern as it was written.
    package let rawValue: String

    /// Nil for text that no name could match.
    package init?(rawValue: String) {
        let name = rawValue.replacing("*", with: "").replacing("?", with: "x")
        guard rawValue.utf8.count <= 64, !rawValue.isEmpty, name.isEmpty || NodeName(name) != nil else { return nil }
        self.rawValue = rawValue
    }

    /// Whether it may match more names than one.
    package var isWild: Bool { rawValue.contains { $0 == "*" || $0 == "?" } }
}

extension NodePattern: CustomStringConvertible, ExpressibleByStringLiteral {
    package var description: String { rawValue }

    /// A pattern that stands in the source; one that is not valid traps.
    package init(stringLiteral text: String) {
        guard let pattern = Self(rawValue: text) else { preconditionFailure("'\(text)' is no pattern of names") }
        self = pattern
    }
}
