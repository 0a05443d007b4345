package import CaptureModel
import Hashing
package import RigProtocol
package import ZeroMQ

/// How a board asks to join; pure.
///
/// ```
/// asking --challenged--> opened --admitted--> (a member)
///    ^                      |  pending, refused: asks on
///    +--another challenge---+
/// ```
package struct JoinMachine: Sendable {
    /// What a reply came to.
    package enum Outcome: Sendable, Hashable {
        /// Nothing, or nothing new.
        case none
        /// The board is to ask again at once.
        case ask
        /// A person has to admit the board, who sees these words as well.
        case waits(words: String)
        /// The code does not let the board in.
        case refused(String)
        /// The board is in, under this name, and talks to nobody but the owner of this key.
        case admitted(NodeName, CurvePublicKey, words: String)
    }

    private let key: CurvePublicKey
    private let name: NodeName
    private let code: JoinCode?
    private var nonce: String
    private var transcript: JoinTranscript?

    /// - Parameters:
    ///   - name: what the board would like to be called.
    ///   - code: with one the board believes only a coordinator that knows it.
    package init(key: CurvePublicKey, name: NodeName, code: JoinCode?) {
        (self.key, self.name, self.code) = (key, name, code)
        nonce = Hexadecimal.random(byteCount: JoinTranscript.nonceByteCount)
    }

    /// What the board says next.
    package var message: Join {
        Join(
            key: key.text, name: name, commitment: JoinTranscript.commitment(to: nonce, of: key),
            opening: transcript.map {
                Join.Opening(
                    challenge: $0.challenge, nonce: nonce, code: code?.id, proof: code?.proof(of: $0.nodeText))
            })
    }

    /// Takes what a coordinator said.
    package mutating func take(_ reply: JoinReply) -> Outcome {
        // Only whoever heard this question can answer it.
        guard reply.commitment == JoinTranscript.commitment(to: nonce, of: key),
            let coordinator = CurvePublicKey(reply.key), JoinTranscript.isNonce(reply.challenge)
        else { return .none }
        let former = transcript
        let current = JoinTranscript(
            node: key, coordinator: coordinator, nonce: nonce, challenge: reply.challenge, name: name)
        guard let former else {
            transcript = current
            return .ask
        }
        guard former == current else {
            // It was started again, or somebody else answers: what was opened is no commitment any more.
            (nonce, transcript) = (Hexadecimal.random(byteCount: JoinTranscript.nonceByteCount), nil)
            return .none
        }
        switch reply.state {
        case .pending: return .waits(words: current.words)
        case .refused: return .refused(String((reply.reason ?? "It gave no reason.").prefix(300)))
        case .admitted:
            guard let name = reply.name else { return .none }
            if let code, !code.proves(reply.proof, current.coordinatorText(name)) {
                return .refused("It says that this board is admitted, but does not prove that it knows the join code.")
            }
            return .admitted(name, coordinator, words: current.words)
        default: return .none
        }
    }
}
