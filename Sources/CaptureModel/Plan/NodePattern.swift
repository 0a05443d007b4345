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

    /// The pattern that only this name matches.
    package init(_ name: NodeName) { rawValue = name.rawValue }

    /// Whether it may match more names than one.
    package var isWild: Bool { rawValue.contains { $0 == "*" || $0 == "?" } }

    /// How closely it describes a name: the number of characters that it gives.
    package var literalCount: Int { rawValue.count { $0 != "*" && $0 != "?" } }

    /// Whether a name fits it.
    package func matches(_ name: NodeName) -> Bool {
        let (pattern, text) = (Array(rawValue.utf8), Array(name.rawValue.utf8))
        var (next, position) = (0, 0)
        // The last asterisk, and where in the name that begins which it does not stand for.
        var asterisk: (pattern: Int, text: Int)?
        while position < text.count {
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                asterisk = (next, position)
                next += 1
            } else if next < pattern.count, [text[position], UInt8(ascii: "?")].contains(pattern[next]) {
                (next, position) = (next + 1, position + 1)
            } else if let last = asterisk {
                asterisk = (last.pattern, last.text + 1)
                (next, position) = (last.pattern + 1, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

extension NodePattern: CustomStringConvertible, ExpressibleByStringInterpolation {
    package var description: String { rawValue }

    /// A pattern that stands in the source; one that is not valid traps.
    package init(stringLiteral text: String) {
        guard let pattern = Self(rawValue: text) else { preconditionFailure("'\(text)' is no pattern of names") }
        self = pattern
    }
}
