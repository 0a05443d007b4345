import CaptureModel
import Foundation
import Posix
import RigProtocol
import Synchronization
import TestSupport
import Testing
import ZeroMQ

@testable import RigMembership

@Suite("A board that asks to join")
struct JoiningTests {
    let scratch: Scratch
    let coordinator = CurveKeyPair.generate()
    let membership: Membership

    init() throws {
        scratch = try Scratch()
        membership = Self.membership(scratch, coordinator)
    }

    private static func membership(
        _ scratch: Scratch, _ coordinator: CurveKeyPair,
        monotonic: @escaping @Sendable () -> Int64 = Clocks.monotonicNanoseconds
    ) -> Membership {
        try? PosixFileSystem().makeFolders(scratch.path + "/nodes")
        return Membership(
            coordinator: coordinator.publicKey, nodes: AllowList(folder: scratch.path + "/nodes"), state: scratch.path,
            monotonic: monotonic, onAsking: { _ in }, onJoin: { _, _, _ in })
    }

    private func board(
        _ name: NodeName = "a", key: CurvePublicKey = CurveKeyPair.generate().publicKey, _ code: String? = nil
    ) -> JoinMachine {
        JoinMachine(key: key, name: name, code: code.flatMap { JoinCode($0) })
    }

    /// Asks until it is neither challenged nor ignored.
    private func ask(
        _ board: inout JoinMachine, _ membership: Membership? = nil, from address: String = "10.0.0.1"
    ) throws -> JoinMachine.Outcome {
        for _ in 0..<4 {
            let reply = try #require((membership ?? self.membership).answer(board.message, from: address))
            let outcome = board.take(reply)
            if outcome != .none, outcome != .ask { return outcome }
        }
        return .none
    }

    private func code(_ count: Int = 1, names: String? = nil) throws -> String {
        try membership.invite(InviteRequest(count: count, seconds: 60, names: names)).code
    }

    private func name(_ outcome: JoinMachine.Outcome) -> NodeName? {
        if case .admitted(let name, coordinator.publicKey, _) = outcome { name } else { nil }
    }

    private func isRefused(_ outcome: JoinMachine.Outcome, _ words: String) -> Bool {
        if case .refused(let reason) = outcome { reason.contains(words) } else { false }
    }

    @Test("shows the words that a person sees, and is let in by them")
    func words() throws {
        var board = board("top")
        guard case .waits(let words) = try ask(&board) else { return #expect(Bool(false)) }
        #expect(membership.boards().boards.map(\.words) == [words])
        #expect(try membership.change(MemberRequest(.admit, words)).node == "top")
        #expect(name(try ask(&board)) == "top")
        #expect(membership.boards().boards.isEmpty && membership.members().active == ["top"])
    }

    @Test("writes its words as proquints")
    func proquints() {
        // The paper's examples: 127.0.0.1 and 63.84.220.193.
        let numbers: [UInt16] = [0x7f00, 0x0001, 0x3f54, 0xdcc1]
        #expect(numbers.map(JoinTranscript.proquint) == ["lusab", "babad", "gutih", "tugad"])
    }

    @Test("shows other words than the coordinator where somebody in between has keys of his own")
    func middleman() throws {
        let (mine, yours) = (CurveKeyPair.generate(), CurveKeyPair.generate())
        let middle = Membership(
            coordinator: mine.publicKey, nodes: AllowList(folder: scratch.path + "/none"),
            state: scratch.path + "/none",
            onAsking: { _ in }, onJoin: { _, _, _ in })
        var (honest, own) = (board("top"), board("top", key: yours.publicKey))
        guard case .waits(let words) = try ask(&honest, middle) else { return #expect(Bool(false)) }
        guard case .waits(let others) = try ask(&own) else { return #expect(Bool(false)) }
        #expect(words != others && membership.boards().boards.map(\.words) == [others])
    }

    @Test("with a code believes only a coordinator that knows it")
    func impostor() throws {
        let code = try code()
        var board = board("a", code)
        let reply = try #require(membership.answer(board.message, from: ""))
        #expect(board.take(reply) == .ask)
        var forged = reply
        (forged.state, forged.name, forged.proof) = (.admitted, "a", String(repeating: "0", count: 64))
        #expect(isRefused(board.take(forged), "does not prove"))
        #expect(name(try ask(&board)) == "a")
    }

    @Test("is let in by a code once, in time, on its own rig, and again if it did not hear so")
    func codes() throws {
        let code = try code(names: "ring-#")
        let key = CurveKeyPair.generate().publicKey
        for _ in 0..<2 {
            var first = board("a", key: key, code)
            #expect(name(try ask(&first)) == "ring-1")
        }
        var second = board("b", code)
        #expect(isRefused(try ask(&second), "is for one"))
        #expect(membership.boards().boards.first?.remark?.contains("is for one") == true, "a person sees why")
        let ended = JoinCode.generate()
        try membership.write(Invite(code: ended.description, count: 1, until: 1), ended.id)
        var late = board("c", ended.description)
        #expect(isRefused(try ask(&late), "counted until"))
        var strange = board("d", JoinCode.generate().description)
        #expect(isRefused(try ask(&strange), "another rig"))
        let typo = String(code.dropLast()) + (code.hasSuffix("0") ? "1" : "0")
        var wrong = board("e", typo)
        #expect(isRefused(try ask(&wrong), "goes on otherwise"))
        #expect(membership.members().active == ["ring-1"])
    }

    @Test("gets the name that it was to have, if the power went before its key was written")
    func powerCut() throws {
        let code = try code(2, names: "ring-#")
        let key = CurveKeyPair.generate().publicKey
        var board = board("a", key: key, code)
        #expect(name(try ask(&board)) == "ring-1")
        try FileManager.default.removeItem(atPath: scratch.path + "/nodes/ring-1.pub")
        let again = Self.membership(scratch, coordinator)
        board = self.board("a", key: key, code)
        #expect(name(try ask(&board, again)) == "ring-1")
    }

    @Test("starts over with another nonce when the coordinator was started again")
    func restart() throws {
        var board = board()
        let former = board.message.commitment
        guard case .waits(let words) = try ask(&board) else { return #expect(Bool(false)) }
        guard case .waits(let others) = try ask(&board, Self.membership(scratch, coordinator)) else {
            return #expect(Bool(false))
        }
        #expect(words != others && board.message.commitment != former)
    }

    @Test("whose key was revoked is not let in by a code, but by a person who insists")
    func revoked() throws {
        let (key, code) = (CurveKeyPair.generate().publicKey, try code(5))
        var board = board("a", key: key, code)
        #expect(name(try ask(&board)) == "a")
        _ = try membership.change(MemberRequest(.revoke, "a"))
        #expect(membership.name(of: key) == nil)
        #expect(isRefused(try ask(&board), "revoked"))
        let change = try membership.change(MemberRequest(.admit, "a"))
        #expect(change.remark?.contains("revoked, as that of a") == true)
        #expect(name(try ask(&board)) == "a")
    }

    @Test("is let in by words as somebody types them, and not while it may be gone")
    func silence() throws {
        let time = Mutex(Int64(0))
        let membership = Self.membership(scratch, coordinator) { time.withLock { $0 } }
        var board = board("top")
        guard case .waits(let words) = try ask(&board, membership) else { return #expect(Bool(false)) }
        let typed = " " + words.uppercased().replacing("-", with: " ")
        time.withLock { $0 = .seconds(21) }
        #expect(membership.boards().boards.first?.silentSeconds == 21)
        #expect(membership.boards().boards.first?.remark == "Last heard from 21 s ago.")
        let refusal = #expect(throws: Refusal.self) { try membership.change(MemberRequest(.admit, typed)) }
        #expect(refusal?.code == .tryAgain && refusal?.message.contains("21 s ago") == true)
        _ = try ask(&board, membership)
        #expect(try membership.change(MemberRequest(.admit, typed)).node == "top")
        // Another one would like the same name.
        var other = self.board("top")
        _ = try ask(&other, membership)
        #expect(membership.boards().boards.first?.remark?.contains("--as") == true)
    }

    @Test("shares a name with another one, so that a person has to say which is meant")
    func sameName() throws {
        var (one, other) = (board("a"), board("a"))
        guard case .waits = try ask(&one), case .waits(let words) = try ask(&other) else { return #expect(Bool(false)) }
        let error = #expect(throws: Refusal.self) { try membership.change(MemberRequest(.admit, "a")) }
        #expect(error?.details.count == 2)
        #expect(try membership.change(MemberRequest(.admit, words)).node == "a")
        #expect(throws: Refusal.self) { try membership.change(MemberRequest(.admit, "a")) }
        #expect(try membership.change(MemberRequest(.admit, "a", as: "b")).node == "b")
        #expect(name(try ask(&one)) == "b")
    }

    @Test("cannot be taken for another one by calling itself by that one's words, or by asking with its key")
    func disguise() throws {
        var honest = board("top")
        guard case .waits(let words) = try ask(&honest) else { return #expect(Bool(false)) }
        let disguised = try #require(NodeName(words))
        var stranger = board(disguised)
        _ = try ask(&stranger)
        #expect(try membership.change(MemberRequest(.admit, words)).node == "top")
        #expect(name(try ask(&honest)) == "top")
        // Somebody else asks with the key of a board that waits: both are shown, and the words tell which is which.
        let key = CurveKeyPair.generate().publicKey
        var (one, other) = (board("door", key: key), board("gate", key: key))
        guard case .waits(let own) = try ask(&one), case .waits = try ask(&other) else { return #expect(Bool(false)) }
        #expect(membership.boards().boards.contains { $0.words == own && $0.name == "door" })
    }

    @Test("believes nothing that was said without having heard it")
    func blind() throws {
        var board = board()
        let reply = try #require(membership.answer(board.message, from: ""))
        var blind = reply
        blind.commitment = String(repeating: "0", count: 64)
        #expect(board.take(blind) == .none && board.message.opening == nil)
        #expect(board.take(reply) == .ask)
        (blind.state, blind.name) = (.admitted, "a")
        #expect(board.take(blind) == .none)
    }

    @Test("with another rig's code cannot be admitted by a person either: it would not believe it")
    func unprovable() throws {
        var board = board("top", JoinCode.generate().description)
        _ = try ask(&board)
        #expect(throws: Refusal.self) { try membership.change(MemberRequest(.admit, "top")) }
        #expect(membership.members().active.isEmpty)
    }

    @Test("gets no name that a file has, whatever is in it")
    func emptyFile() throws {
        try "".write(toFile: scratch.path + "/nodes/ring-1.pub", atomically: true, encoding: .utf8)
        var board = board("a", try code(names: "ring-#"))
        #expect(name(try ask(&board)) == "ring-2")
        #expect(throws: Refusal.self) { try membership.change(MemberRequest(.rename, "ring-2", as: "ring-1")) }
    }

    @Test("is one of a bounded number, also of one address")
    func bounds() throws {
        var honest = board("honest")
        _ = try ask(&honest, from: "10.8.8.8")
        for _ in 0..<JoinDesk.mostOfOneAddress + 5 {
            var board = board()
            _ = try ask(&board, from: "10.9.9.9")
        }
        #expect(membership.boards().boards.count { $0.address == "10.9.9.9" } == JoinDesk.mostOfOneAddress)
        for index in 0..<JoinDesk.mostOfOneNetwork + 50 {
            var board = board()
            _ = try ask(&board, from: "10.9.9.\(index / 8 + 10)")
        }
        #expect(membership.boards().boards.count { $0.address.hasPrefix("10.9.9.") } == JoinDesk.mostOfOneNetwork)
        // However many crowd in, who waits keeps his place.
        for index in 0..<JoinDesk.mostBoards {
            var board = board()
            _ = try ask(&board, from: "10.\(index / 100).\(index % 100).1")
        }
        #expect(membership.boards().boards.count == JoinDesk.mostBoards)
        #expect(membership.boards().boards.contains { $0.name == "honest" })
    }

    @Test("that says something else is not answered, or only challenged")
    func nonsense() throws {
        var join = board().message
        join.key = "short"
        #expect(membership.answer(join, from: "") == nil)
        join = board().message
        join.commitment = "00"
        #expect(membership.answer(join, from: "") == nil)
        join = board().message
        join.opening = Join.Opening(challenge: "", nonce: "")
        #expect(membership.answer(join, from: "")?.state == .challenged)
        join.opening?.nonce = "0 0"
        #expect(membership.answer(join, from: "")?.state == .challenged)
        // The nonce of another board.
        let challenge = try #require(membership.answer(join, from: "")).challenge
        join.opening = Join.Opening(challenge: challenge, nonce: String(repeating: "0", count: 32))
        #expect(membership.answer(join, from: "")?.state == .challenged && membership.boards().boards.isEmpty)
    }

    @Test("gets no code that is for too many, for too long, or for names that cannot be")
    func invitations() {
        let requests = [
            InviteRequest(count: 0, seconds: 60), InviteRequest(count: 1001, seconds: 60),
            InviteRequest(count: 1, seconds: 0), InviteRequest(count: 1, seconds: 31 * 86_400),
            InviteRequest(count: 2, seconds: 60, names: "door"), InviteRequest(count: 2, seconds: 60, names: "../##"),
        ]
        for request in requests { #expect(throws: Refusal.self) { try membership.invite(request) } }
    }

    @Test("keeps what it joined, and joins anew only with another code")
    func kept() throws {
        let rig = JoinedRig(folder: scratch.path)
        let (code, other) = (JoinCode.generate(), JoinCode.generate())
        #expect(try rig.key() == nil && rig.isNew(code))
        try rig.keep(coordinator.publicKey, code: code)
        #expect(try rig.key() == coordinator.publicKey)
        #expect(!rig.isNew(code) && rig.isNew(other))
        try FileManager.default.removeItem(atPath: scratch.path + "/joined-with")
        #expect(rig.isNew(code), "it joined by its words")
    }
}
