package import CaptureModel
import FoundationEssentials
import Posix
package import RigProtocol
import Synchronization
package import ZeroMQ

/// Who belongs to a rig, in the folders of a coordinator: what operators change, and how boards join.
///
/// ```
/// a board waits --admit, join code--> nodes/NAME.pub --retire--> retired/NAME.pub
///                                          |                          |
///                                          +--------revoke------------+--> revoked/NAME.pub
/// ```
///
/// A file in a folder is all that a membership is, so that who manages them by hand does the same.
package final class Membership: Sendable {
    /// The longest that a join code counts, in seconds, and the most boards that it is for.
    private static let (longestInvite, largestInvite) = (30 * 86_400, 1000)

    let coordinator: CurvePublicKey
    let nodes: AllowList
    let retired: AllowList
    let revoked: AllowList
    let state: String
    let onAsking: @Sendable (String) -> Void
    let onJoin: @Sendable (NodeName, CurvePublicKey, String) -> Void
    let desk: Mutex<JoinDesk>
    /// Nanoseconds of CLOCK_MONOTONIC.
    let monotonic: @Sendable () -> Int64
    /// Held while anything is changed: one change at a time.
    let changing = Mutex(())
    let files = PosixFileSystem()

    /// - Parameters:
    ///   - coordinator: its key.
    ///   - nodes: those of the folder of nodes.
    ///   - state: the folder for what is kept besides.
    ///   - onAsking: told when a board begins to wait, which strangers can bring about.
    ///   - monotonic: nanoseconds of CLOCK_MONOTONIC.
    ///   - onJoin: told of each board that has joined by itself, and of what its join code begins with.
    package init(
        coordinator: CurvePublicKey, nodes: AllowList, state: String,
        monotonic: @escaping @Sendable () -> Int64 = Clocks.monotonicNanoseconds,
        onAsking: @escaping @Sendable (String) -> Void,
        onJoin: @escaping @Sendable (_ node: NodeName, _ key: CurvePublicKey, _ code: String) -> Void
    ) {
        (self.coordinator, self.nodes, self.state) = (coordinator, nodes, state)
        (self.monotonic, self.onAsking, self.onJoin) = (monotonic, onAsking, onJoin)
        retired = AllowList(folder: state + "/retired")
        revoked = AllowList(folder: state + "/revoked")
        desk = Mutex(JoinDesk(coordinator: coordinator))
    }

    /// The name of a node that may connect.
    package func name(of key: CurvePublicKey) -> NodeName? { nodes.name(of: key) ?? retired.name(of: key) }

    /// The name that a key had before it was revoked.
    package func formerOwner(of key: CurvePublicKey) -> NodeName? { revoked.owner(of: key) }

    /// The names of all nodes that may connect, by their keys.
    package var namesByKey: [CurvePublicKey: NodeName] {
        nodes.namesByKey.merging(retired.namesByKey) { active, _ in active }
    }

    // MARK: What operators see and change

    package func members() -> Members { Members(active: nodes.names, retired: retired.names) }

    package func boards() -> BoardsReply {
        let now = monotonic()
        return BoardsReply(
            boards: desk.withLock { $0.waiting(at: now) }.map { board in
                BoardsReply.Board(
                    name: board.name, words: board.words, address: board.address,
                    seconds: Int((now - board.since) / .seconds(1)),
                    silentSeconds: Int((now - board.lastHeard) / .seconds(1)), remark: remark(on: board, at: now))
            })
    }

    private func remark(on board: JoinDesk.Board, at now: Int64) -> String? {
        let isSilent = now - board.lastHeard > JoinDesk.longestSilence
        let taken = isTaken(board.name) ? "There is a node \(board.name) already; admit it --as another." : nil
        let remarks = [isSilent ? Self.silence(of: board, at: now) : nil, board.remark ?? taken].compactMap(\.self)
        return remarks.isEmpty ? nil : remarks.joined(separator: " ")
    }

    private static func silence(of board: JoinDesk.Board, at now: Int64) -> String {
        "Last heard from \((now - board.lastHeard) / .seconds(1)) s ago."
    }

    package func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply {
        guard (1...Self.largestInvite).contains(request.count) else {
            throw Refusal(.invalid, "A join code is for 1 to \(Self.largestInvite) boards.")
        }
        guard (1...Self.longestInvite).contains(request.seconds) else {
            throw Refusal(.invalid, "A join code counts for at least a second and at most 30 days.")
        }
        if let names = request.names {
            guard Invite.isPattern(names) else {
                throw Refusal(.invalid, "'\(names)' is no name with a place for digits, such as top-##.")
            }
            guard names.contains("#") || request.count == 1 else {
                throw Refusal(.invalid, "\(request.count) boards cannot all be called \(names); write \(names)-##.")
            }
        }
        let code = JoinCode.generate()
        let until = now + .seconds(Int64(request.seconds))
        try write(Invite(code: code.description, count: request.count, until: until, names: request.names), code.id)
        let taken = request.names.flatMap { NodeName($0) }.map(isTaken) == true
        return InviteReply(
            code: code.description, until: until,
            remark: taken ? "There is a node \(request.names ?? "") still: its board must be revoked first." : nil)
    }

    package func change(_ request: MemberRequest) throws(Refusal) -> MemberChange {
        try changing.withLock { _ throws(Refusal) in
            if request.act == .admit { return try admit(request.subject, as: request.newName) }
            let (name, list) = try member(request.subject)
            switch request.act {
            case .rename:
                guard let newName = request.newName, newName != name else {
                    throw Refusal(.invalid, "Say what \(name) is to be called.")
                }
                try checkFree(newName, former: name)
                try list.move(name, to: list, as: newName)
                return MemberChange(newName)
            case .retire:
                guard list !== retired else { throw Refusal(.invalid, "\(name) is retired already.") }
                try list.move(name, to: retired, as: name)
            case .revoke:
                guard let free = name.free(revoked.hasFile) else { throw Refusal(.tryAgain, "No name is free.") }
                try list.move(name, to: revoked, as: free)
            default: throw Refusal(.invalid, "This coordinator does not know how to \(request.act.rawValue) a node.")
            }
            return MemberChange(name)
        }
    }

    private func admit(_ subject: String, as newName: NodeName?) throws(Refusal) -> MemberChange {
        let now = monotonic()
        let boards = desk.withLock { $0.waiting(at: now) }
        // A stranger may call himself by somebody's words.
        let words = JoinTranscript.words(in: subject)
        let meant = boards.filter { board in words.map { board.words == $0 } ?? (board.name.rawValue == subject) }
        guard let board = meant.first else {
            let known = NodeName(subject).map(isTaken) == true ? "There is a node \(subject) already. " : ""
            throw Refusal(
                .notFound, known + "No board asks to join as '\(subject)'; `volley nodes pending` lists those that do.")
        }
        guard meant.count == 1 else {
            throw Refusal(
                .invalid,
                "\(meant.count) boards ask to join as '\(subject)'; say which one by its words, and a name with --as.",
                details: meant.map { "\($0.words) from \($0.address)" })
        }
        guard board.canBeAdmitted else {
            throw Refusal(
                .invalid,
                "That board has a join code, and believes only a rig that knows it; put one of this rig onto it.")
        }
        guard now - board.lastHeard <= JoinDesk.longestSilence else {
            throw Refusal(
                .tryAgain,
                Self.silence(of: board, at: now)
                    + " Captures would wait for a board that is gone: admit it once it asks "
                    + "again.")
        }
        let name = newName ?? board.name
        try checkFree(name)
        try nodes.add(board.key, as: name)
        var remark: String?
        while let former = revoked.owner(of: board.key) {
            remark = "Its key had been revoked, as that of \(former), and counts again."
            try revoked.remove(former)
        }
        desk.withLock { $0.remove(board.key) }
        return MemberChange(name, remark: remark)
    }

    /// - Parameter former: the name that it takes the place of.
    private func checkFree(_ name: NodeName, former: NodeName? = nil) throws(Refusal) {
        if nodes.hasFile(name) || retired.hasFile(name) {
            throw Refusal(
                .invalid, "There is a node \(name) already. Revoke it if its board is gone, or choose another name.")
        }
        if let other = alike(name), other != former {
            throw Refusal(
                .invalid,
                "There is a node \(other) already, and on many disks \(name) is the same name: choose another one, with --as."
            )
        }
    }

    func isTaken(_ name: NodeName) -> Bool { nodes.hasFile(name) || retired.hasFile(name) || alike(name) != nil }

    /// The node whose name differs by the case of its letters alone: Windows, macOS, exFAT and SMB take the two for one.
    private func alike(_ name: NodeName) -> NodeName? {
        let folded = name.rawValue.lowercased()
        return (nodes.names + retired.names).first { $0 != name && $0.rawValue.lowercased() == folded }
    }

    private func member(_ subject: String) throws(Refusal) -> (NodeName, AllowList) {
        for list in [nodes, retired] {
            if let name = list.names.first(where: { $0.rawValue == subject }) { return (name, list) }
        }
        throw Refusal(.notFound, "There is no node '\(subject)'; `volley nodes` lists them.")
    }
}
