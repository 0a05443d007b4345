import CaptureModel
import Catalogue
import Coordinator
import Library
import Logging
import NodeAgent
import PhotoCapture
import Posix
import RigProtocol
import RigTransport
import Spool
import ZeroMQ

/// A coordinator on loopback as its program composes it, and what nodes and operators need to reach it.
struct LoopbackCoordinator {
    let service: CoordinatorService
    let catalogue: Catalogue
    private let handler: ZAPHandler
    private let sockets: CoordinatorSockets
    private let keys: CurveKeyPair
    private let memberKeys: [NodeName: CurveKeyPair]
    private let logger: Logger

    /// - Parameter users: the names of nodes and operators that have a key.
    init(library path: String, nodes: [NodeName], users: [NodeName] = []) throws {
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
            logger: logger, members: { nodes })
        memberKeys = Dictionary(uniqueKeysWithValues: pairs)
        self.keys = keys
        self.logger = logger
    }

    func node(
        _ name: NodeName, spool: String, camera: @escaping NodeService.CameraFactory
    ) throws -> NodeService {
        NodeService(
            name: name, link: try link(name), spool: try Spool(root: spool), software: "benchmark", logger: logger,
            openCamera: camera)
    }

    func link(_ name: NodeName) throws -> NodeSockets {
        try NodeSockets(
            context: Context(), keys: memberKeys[name] ?? .generate(), coordinatorKey: keys.publicKey,
            host: "127.0.0.1", port: sockets.controlPort,
            now: { MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()) })
    }

    /// A node's link with its clock plane open.
    func clockLink(_ name: NodeName) throws -> NodeSockets {
        let link = try link(name)
        try link.openPlanes(clockPort: sockets.clockPort, bulkPort: sockets.bulkPort, instance: "1")
        return link
    }

    func client(_ user: NodeName) throws -> OperatorClient {
        try OperatorClient(
            context: Context(), keys: memberKeys[user] ?? .generate(), coordinatorKey: keys.publicKey,
            host: "127.0.0.1", port: sockets.operatorPort)
    }

    /// For nodes in another process: the coordinator's key and its control, bulk and clock ports; then a line for each
    /// node with its name and its secret key.
    func introduction(of nodes: [NodeName]) -> String {
        (["\(keys.publicKey.text) \(sockets.controlPort) \(sockets.bulkPort) \(sockets.clockPort)"]
            + nodes.map { "\($0) \(memberKeys[$0]?.secretKey ?? "")" }).joined(separator: "\n")
    }

    var eventsPort: Int { sockets.eventsPort }

    func close() {
        sockets.close()
        handler.close()
    }
}
