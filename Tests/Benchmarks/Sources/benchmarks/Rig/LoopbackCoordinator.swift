import CaptureModel
import Catalogue
import Coordinator
import Library
import Logging
import Posix
import RigProtocol
import RigTransport
import ZeroMQ

/// A coordinator on loopback as its program composes it, and what nodes and operators need to reach it.
struct LoopbackCoordinator {
    let service: CoordinatorService
    let catalogue: Catalogue
    private let handler: ZAPHandler
    private let sockets: CoordinatorSockets
    private let keys: CurveKeyPair
    private let memberKeys: [NodeName: CurveKeyPair]
    private let nodes: Set<NodeName>

    /// - Parameter users: the names of nodes and operators that have a key.
    init(
        library path: String, nodes: [NodeName], users: [NodeName] = [],
        onNotice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) throws {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        let keys = CurveKeyPair.generate()
        let pairs = (nodes + users).map { ($0, CurveKeyPair.generate()) }
        let names = Dictionary(uniqueKeysWithValues: pairs.map { ($0.1.publicKey, $0.0) })
        let context = Context()
        handler = try ZAPHandler(context: context) { _, key in names[key]?.rawValue }
        sockets = try CoordinatorSockets(
            context: context, keys: keys, handler: handler, host: "127.0.0.1", port: 0,
            now: { RigTime(nanoseconds: Clocks.monotonicNanoseconds()) })
        let startedAt = UTCTime(rawValue: Clocks.microsecondsSinceEpoch())
        catalogue = try Catalogue(
            path: path + "/catalogue.sqlite", startedAt: startedAt,
            rigTime: RigTime(nanoseconds: Clocks.monotonicNanoseconds()))
        service = CoordinatorService(
            link: sockets, catalogue: catalogue, library: try Library(root: path), startedAt: startedAt,
            logger: logger, book: FixedBook(nodes: nodes), onNotice: onNotice)
        memberKeys = Dictionary(uniqueKeysWithValues: pairs)
        self.nodes = Set(nodes)
        self.keys = keys
    }

    func client(_ user: NodeName) throws -> OperatorClient { try introduction(of: user).client() }

    /// What an operator needs to reach it.
    func introduction(of user: NodeName) -> OperatorIntroduction {
        OperatorIntroduction(
            coordinatorKey: keys.publicKey, keys: memberKeys[user] ?? .generate(), port: sockets.operatorPort)
    }

    /// What its nodes need to reach it.
    var introduction: Introduction {
        Introduction(
            coordinatorKey: keys.publicKey, controlPort: sockets.controlPort, bulkPort: sockets.bulkPort,
            clockPort: sockets.clockPort, members: memberKeys.filter { nodes.contains($0.key) })
    }

    var eventsPort: Int { sockets.eventsPort }

    func close() {
        sockets.close()
        handler.close()
    }
}

/// A membership that nobody changes.
private struct FixedBook: MemberBook {
    let nodes: [NodeName]

    func members() -> Members { Members(active: nodes) }
    func role(of user: NodeName) -> Role? { .administer }
    func operators() -> OperatorsReply { OperatorsReply(operators: []) }
    func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal) {}
    func boards() -> BoardsReply { BoardsReply(boards: []) }
    func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply { throw Refusal(.unavailable, "fixed") }
    func change(_ request: MemberRequest) throws(Refusal) -> MemberChange { throw Refusal(.unavailable, "fixed") }
}
