package import CaptureModel
import Hashing
import Posix
import RigProtocol
package import ZeroMQ

/// The boards that wait for a person, and how they are challenged; pure.
package struct JoinDesk: Sendable {
    /// A board that asked.
    package struct Board: Sendable, Hashable {
        /// Its public key.
        package let key: CurvePublicKey
        /// What it would like to be called.
        package let name: NodeName
        /// The words that it shows, too.
        package let words: String
        /// Where it asked from.
        package let address: String
        /// ``SocketAddress/neighbourhood``.
        let network: UInt64?
        /// When it asked first, in nanoseconds of CLOCK_MONOTONIC.
        package let since: Int64
        /// When it asked last.
        var lastHeard: Int64
        /// Why its code did not let it in; nil where it has none.
        package var remark: String?
        /// Whether it would believe this coordinator: one with a code wants to see that this is known here.
        let canBeAdmitted: Bool
    }

    /// A board asks every two seconds; one that has not asked for this long does not wait any more.
    static let patience = Int64.seconds(60)
    /// One that has not asked for this long may be gone, and is not let in; looking up a name may take some seconds.
    static let longestSilence = Int64.seconds(20)
    /// The most boards that wait, those of one network (/24, or /64 of IPv6), and those of one address. Nobody loses his
    /// place to a crowd before his minute is over: beyond these, new ones are refused.
    static let (mostBoards, mostOfOneNetwork, mostOfOneAddress) = (1024, 256, 16)

    private let coordinator: CurvePublicKey
    /// Challenges are made from it, so that nothing is kept of those who only ask.
    private let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
    /// By their commitments: a key is no secret, and somebody else may ask with it.
    private var boards: [String: Board] = [:]

    package init(coordinator: CurvePublicKey) { self.coordinator = coordinator }

    /// The challenge of a board at an address.
    func challenge(_ join: Join, from address: String) -> String {
        let text = "\(join.key) \(join.commitment) \(address)"
        return Hexadecimal.text(HMACSHA256.code(for: text.utf8, key: secret).prefix(JoinTranscript.nonceByteCount))
    }

    /// What was said until now; nil before the board has opened its commitment, to the challenge that is its own.
    func transcript(_ join: Join, of key: CurvePublicKey, from address: String) -> JoinTranscript? {
        guard let opening = join.opening, JoinTranscript.isNonce(opening.nonce),
            opening.challenge == challenge(join, from: address),
            JoinTranscript.commitment(to: opening.nonce, of: key) == join.commitment
        else { return nil }
        return JoinTranscript(
            node: key, coordinator: coordinator, nonce: opening.nonce, challenge: opening.challenge, name: join.name)
    }

    /// Notes a board that waits.
    ///
    /// - Returns: whether it is new, or shows other words than before; false, too, where there is no room for it.
    mutating func wait(
        _ join: Join, _ transcript: JoinTranscript, from address: String, remark: String?, canBeAdmitted: Bool,
        at now: Int64
    ) -> Bool {
        forget(at: now)
        let former = boards[join.commitment]
        guard former != nil || hasRoom(for: address) else { return false }
        let isNew = former?.words != transcript.words
        let board = Board(
            key: transcript.node, name: join.name, words: transcript.words, address: address,
            network: SocketAddress(numeric: address)?.neighbourhood, since: isNew ? now : former?.since ?? now,
            lastHeard: now, remark: remark, canBeAdmitted: canBeAdmitted)
        boards[join.commitment] = board
        return isNew
    }

    /// A board waits no longer.
    mutating func remove(_ key: CurvePublicKey) { boards = boards.filter { $0.value.key != key } }

    /// The boards that wait, those that asked first in front.
    mutating func waiting(at now: Int64) -> [Board] {
        forget(at: now)
        return boards.values.sorted { ($0.since, $0.words) < ($1.since, $1.words) }
    }

    private mutating func forget(at now: Int64) {
        boards = boards.filter { now - $0.value.lastHeard <= Self.patience }
    }

    private func hasRoom(for address: String) -> Bool {
        let network = SocketAddress(numeric: address)?.neighbourhood
        let neighbours = boards.values.filter { $0.network == network }
        return boards.count < Self.mostBoards && neighbours.count < Self.mostOfOneNetwork
            && neighbours.count(where: { $0.address == address }) < Self.mostOfOneAddress
    }
}
