import FoundationEssentials
import Hashing

/// What lets boards join by themselves: 25 characters of Crockford's base 32, in groups of five.
///
/// The first five are its name, which goes over the wire; the other hundred bits never do.
package struct JoinCode: Hashable, Sendable, CustomStringConvertible {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 25

    /// The code without separators.
    private let text: String

    /// Makes one from the system's random source.
    package static func generate() -> JoinCode {
        JoinCode(text: String((0..<length).map { _ in alphabet[Int.random(in: 0..<32)] }))
    }

    private init(text: String) { self.text = text }

    /// Parses a code as people copy it: in any case, with or without separators, with O for 0, and I or L for 1.
    package init?(_ typed: some StringProtocol) {
        let text = typed.uppercased().filter { $0 != "-" && !$0.isWhitespace }.map { character -> Character in
            switch character {
            case "O": "0"
            case "I", "L": "1"
            default: character
            }
        }
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = String(text)
    }

    /// Which code it is; no secret.
    package var id: String { String(text.prefix(5)) }

    /// As people copy it.
    package var description: String {
        stride(from: 0, to: Self.length, by: 5).map { start in
            String(text.dropFirst(start).prefix(5))
        }.joined(separator: "-")
    }

    /// That whoever says these words knows the code: HMAC-SHA-256 in hexadecimal digits.
    func proof(of words: String) -> String { Hexadecimal.text(HMACSHA256.code(for: words.utf8, key: text.utf8)) }

    /// Whether a proof is of these words; takes equally long for each that is not.
    func proves(_ proof: String?, _ words: String) -> Bool {
        guard let code = proof.flatMap(Hexadecimal.bytes) else { return false }
        return HMACSHA256.isCode(code, for: words.utf8, key: text.utf8)
    }
}
