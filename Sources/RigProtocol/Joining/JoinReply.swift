package import CaptureModel

/// coordinator -> board, in the clear: how it stands with your wish to join.
package struct JoinReply: WireMessage, Hashable {
    package static let type = "joinReply"

    /// How it stands.
    package struct State: RawRepresentable, Codable, Hashable, Sendable {
        /// The word; one that a board does not know means that it has to ask on.
        package let rawValue: String

        /// Takes the first 64 characters of a word, which may be new to this release.
        package init(rawValue: String) { self.rawValue = String(rawValue.prefix(64)) }

        /// The board is to open its commitment.
        package static let challenged = State(rawValue: "challenged")
        /// A person has to admit it.
        package static let pending = State(rawValue: "pending")
        /// It belongs to the rig, under ``JoinReply/name``.
        package static let admitted = State(rawValue: "admitted")
        /// Its code does not let it in, for ``JoinReply/reason``; a person may, if it is a code of this rig.
        package static let refused = State(rawValue: "refused")
    }

    /// The coordinator's public key, in Z85.
    package var key: String
    /// The board's, which only whoever heard its question knows.
    package var commitment: String
    /// For this board, its address and its commitment, until the coordinator is started again: 32 hexadecimal digits.
    package var challenge: String
    /// How it stands.
    package var state: State
    /// What the board is called from now on, where it is admitted.
    package var name: NodeName?
    /// Why it was refused, in one sentence.
    package var reason: String?
    /// That the coordinator knows the board's code, where it is admitted and has one.
    package var proof: String?

    package init(
        key: String, commitment: String, challenge: String, state: State, name: NodeName? = nil, reason: String? = nil,
        proof: String? = nil
    ) {
        (self.key, self.commitment, self.challenge, self.state) = (key, commitment, challenge, state)
        (self.name, self.reason, self.proof) = (name, reason, proof)
    }
}
