package import CaptureModel

/// board -> coordinator, in the clear: I have no coordinator; may I belong to your rig? Repeated until it is answered.
///
/// Nothing in it is secret. Who may see or change it can keep a board out, but cannot join in its place: the words that
/// both ends show, or the proof of a join code, cover both keys and both nonces.
package struct Join: WireMessage, Hashable {
    package static let type = "join"

    /// What the board says once it has the coordinator's challenge.
    package struct Opening: Codable, Sendable, Hashable {
        /// The challenge that is answered.
        package var challenge: String
        /// What the commitment was made to: 32 hexadecimal digits.
        package var nonce: String
        /// The first part of the board's join code, which names it; nil where a person is to admit the board.
        package var code: String?
        /// That the board has the rest of the code, too.
        package var proof: String?

        package init(challenge: String, nonce: String, code: String? = nil, proof: String? = nil) {
            (self.challenge, self.nonce, self.code, self.proof) = (challenge, nonce, code, proof)
        }
    }

    /// The board's public key, in Z85.
    package var key: String
    /// What it would like to be called.
    package var name: NodeName
    /// To its nonce: 64 hexadecimal digits.
    package var commitment: String
    /// Nil before there is a challenge.
    package var opening: Opening?

    package init(key: String, name: NodeName, commitment: String, opening: Opening? = nil) {
        (self.key, self.name, self.commitment, self.opening) = (key, name, commitment, opening)
    }
}
