extension String {
    /// This text with nothing left that a terminal acts on: control characters and bidirectional marks become escapes
    /// such as `\u001B`, which JSON reads back as the character itself. Line ends and tabs stay.
    package var printable: String { escaped { $0 == "\n" || $0 == "\t" } }

    /// The same on one line: text from others must not pass for a line of ours.
    package var printableLine: String { escaped { _ in false } }

    /// Whether ``printableLine`` would change nothing in it.
    package var isPrintable: Bool { !unicodeScalars.contains(where: \.isObeyed) }

    private func escaped(keeping isKept: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isObeyed && !isKept($0) }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isObeyed, !isKept(scalar) else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            text += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        return text
    }
}

extension Unicode.Scalar {
    /// C0, DEL and C1; the line and paragraph separators; the bidirectional controls (Unicode, UAX 9).
    fileprivate var isObeyed: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        case _: false
        }
    }
}
