import CaptureModel
import FoundationEssentials
import Posix
package import RigProtocol
import Synchronization
import ZeroMQ

extension Membership {
    /// Answers a board; nil for what is no board's.
    package func answer(_ join: Join, from address: String) -> JoinReply? {
        guard let key = CurvePublicKey(join.key), join.commitment.utf8.count == 64 else { return nil }
        return changing.withLock { _ in
            let desk = desk.withLock { $0 }
            var reply = JoinReply(
                key: coordinator.text, commitment: join.commitment, challenge: desk.challenge(join, from: address),
                state: .challenged)
            guard let transcript = desk.transcript(join, of: key, from: address), let opening = join.opening else {
                return reply
            }
            var isProven = opening.code == nil
            do throws(Refusal) {
                reply.name = name(of: key)
                if let id = opening.code {
                    let (invite, code) = try invite(id, opening.proof, transcript)
                    isProven = true
                    let name = if let known = reply.name { known } else { try letIn(join, key, with: invite, code) }
                    (reply.name, reply.proof) = (name, code.proof(of: transcript.coordinatorText(name)))
                }
            } catch {
                (reply.name, reply.reason) = (nil, error.message)
            }
            reply.state = reply.name != nil ? .admitted : reply.reason != nil ? .refused : .pending
            if reply.name != nil {
                self.desk.withLock { $0.remove(key) }
            } else {
                wait(join, transcript, from: address, reply.reason, isProven)
            }
            return reply
        }
    }

    private func wait(
        _ join: Join, _ transcript: JoinTranscript, from address: String, _ reason: String?, _ canBeAdmitted: Bool
    ) {
        let former = revoked.owner(of: transcript.node).map { "Its key was that of \($0), and was revoked." }
        let isNew = desk.withLock {
            $0.wait(
                join, transcript, from: address, remark: reason ?? former, canBeAdmitted: canBeAdmitted,
                at: monotonic())
        }
        guard isNew else { return }
        onAsking(
            "A board that would like to be called \(join.name) asks to join from \(address), and shows "
                + "\(transcript.words). " + (reason ?? former ?? "`volley nodes admit` lets it in."))
    }

    /// The invitation that a board proves to have.
    private func invite(
        _ id: String, _ proof: String?, _ transcript: JoinTranscript
    ) throws(Refusal) -> (Invite, JoinCode) {
        // It becomes part of a path.
        guard NodeName(id) != nil, let invite = readInvite(id), let code = JoinCode(invite.code), code.id == id else {
            throw Refusal(.notFound, "This rig has no such join code; it is another rig's.")
        }
        guard code.proves(proof, transcript.nodeText) else {
            throw Refusal(.notAllowed, "The board's join code begins as one of this rig does, but goes on otherwise.")
        }
        return (invite, code)
    }

    /// Admits a board that has a join code.
    private func letIn(
        _ join: Join, _ key: CurvePublicKey, with invite: Invite, _ code: JoinCode
    ) throws(Refusal) -> NodeName {
        if revoked.owner(of: key) != nil {
            throw Refusal(.notAllowed, "This board's key was revoked; a person may admit it all the same.")
        }
        var invite = invite
        // It was let in, but the power went before its key was written.
        if let name = invite.admitted[key.text], now < invite.until, !isTaken(name) {
            try nodes.add(key, as: name)
            return name
        }
        if let objection = invite.objection(at: now) { throw Refusal(.notAllowed, objection) }
        guard let name = invite.name(for: join.name, isTaken: isTaken) else {
            throw Refusal(.notAllowed, "Each name that this join code gives is taken: \(invite.names ?? "").")
        }
        invite.admitted[key.text] = name
        try write(invite, code.id)
        try nodes.add(key, as: name)
        onJoin(name, key, code.id)
        return name
    }
}
