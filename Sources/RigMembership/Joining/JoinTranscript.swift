import CaptureModel
import Hashing
import ZeroMQ

/// What was said when a board asked to join: what both ends show, and what a join code proves, is derived from it.
///
/// It is the numeric comparison of Bluetooth's secure simple pairing: the board commits to a nonce before it learns the
/// coordinator's, so that somebody in the middle cannot look for words that match without an exchange with the board for
/// each guess; and the board begins one every two seconds.
package struct JoinTranscript: Hashable, Sendable {
    /// The board's public key.
    let node: CurvePublicKey
    /// The coordinator's public key.
    let coordinator: CurvePublicKey
    /// What the board committed to.
    let nonce: String
    /// What the coordinator answered that with.
    let challenge: String
    /// What the board would like to be called.
    let name: NodeName

    /// The length of a nonce, and of a challenge, in bytes; they are hexadecimal digits.
    static let nonceByteCount = 16

    static func isNonce(_ text: String) -> Bool { Hexadecimal.bytes(text)?.count == nonceByteCount }

    /// What the board says before it knows a challenge.
    static func commitment(to nonce: String, of node: CurvePublicKey) -> String {
        Hexadecimal.text(SHA256.digest(of: "volley commitment \(node) \(nonce)".utf8))
    }

    /// Four words that both ends show, 64 bits as proquints (Wilkerson, 2009).
    package var words: String {
        let digest = SHA256.digest(of: "volley words \(text)".utf8)
        return (0..<4).map { Self.proquint(UInt16(digest[2 * $0]) << 8 | UInt16(digest[2 * $0 + 1])) }
            .joined(separator: "-")
    }

    /// What a board proves that it knows its code for.
    var nodeText: String { "volley node \(text)" }

    /// What a coordinator proves that it knows the board's code for.
    func coordinatorText(_ name: NodeName) -> String { "volley coordinator \(text) \(name)" }

    private var text: String { "\(node) \(coordinator) \(nonce) \(challenge) \(name)" }

    /// A text that has the form of ``words``, however it was typed, so that nobody's name may be taken for them; else nil.
    static func words(in text: String) -> String? {
        let words = text.lowercased().split { $0 == "-" || $0.isWhitespace }
        let isWords = words.count == 4 && words.allSatisfy { $0.count == 5 && $0.allSatisfy(\.isLowercase) }
        return isWords ? words.joined(separator: "-") : nil
    }

    static func proquint(_ value: UInt16) -> String {
        let (consonants, vowels) = (Array("bdfghjklmnprstvz"), Array("aiou"))
        func letter(_ letters: [Character], _ shift: Int) -> Character {
            letters[Int(value >> shift) & (letters.count - 1)]
        }
        return String([
            letter(consonants, 12), letter(vowels, 10), letter(consonants, 6), letter(vowels, 4), letter(consonants, 0),
        ])
    }
}
