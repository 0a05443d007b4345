import Glibc

/// Words in tables that a person should see at once, in colour: what is well in green, what is not in yellow or red.
///
/// Only on a terminal, and not where `NO_COLOR` says so (no-color.org).
package enum Colour {
    private static let codes: [(words: String, code: Int)] = [
        ("complete|ready|active", 32),
        ("partial|cancelled|unverifiable|clockUnsynchronised|freeRun|calibrating|pending", 33),
        ("failed|mismatch|missing|unreachable|cameraMissing|spoolFull|unavailable", 31),
    ]

    /// Whether standard output takes colours.
    ///
    /// - Parameters:
    ///   - isTerminal: whether it is a terminal.
    ///   - environment: reads a variable; nil where it is not set.
    package static func isWanted(isTerminal: Bool, environment: (String) -> String?) -> Bool {
        // Whatever NO_COLOR says, as long as it says something.
        isTerminal && environment("NO_COLOR")?.isEmpty ?? true && environment("TERM") ?? "dumb" != "dumb"
    }

    static let isWanted = isWanted(isTerminal: isatty(STDOUT_FILENO) == 1) { name in
        getenv(name).map { String(cString: $0) }
    }

    /// The text with those words in colour that stand in a cell by themselves, or end one.
    package static func painted(_ text: String) -> String {
        codes.reduce(text) { text, colour in
            guard let regex = try? Regex("(^|\\n| )(\(colour.words))(?=  |\\n|$|:)") else { return text }
            return text.replacing(regex) { match in
                let (before, word) = (match[1].substring ?? "", match[2].substring ?? "")
                return "\(before)\u{1B}[\(colour.code)m\(word)\u{1B}[0m"
            }
        }
    }
}
