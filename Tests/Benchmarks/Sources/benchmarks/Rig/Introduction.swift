import CaptureModel
import Foundation
import Logging
import NodeAgent
import Posix
import RigTransport
import Spool
import ZeroMQ

/// What an operator needs to reach a coordinator on loopback, as a line that another process can read.
struct OperatorIntroduction: Sendable {
    let coordinatorKey: CurvePublicKey
    let keys: CurveKeyPair
    let port: Int

    init(coordinatorKey: CurvePublicKey, keys: CurveKeyPair, port: Int) {
        (self.coordinatorKey, self.keys, self.port) = (coordinatorKey, keys, port)
    }

    /// Nil as long as the file is not there.
    init?(reading path: String) {
        guard let words = try? String(contentsOfFile: path, encoding: .utf8).split(separator: " "),
            let key = CurvePublicKey(words[0]), let keys = CurveKeyPair(secretKey: words[1]), let port = Int(words[2])
        else { return nil }
        self.init(coordinatorKey: key, keys: keys, port: port)
    }

    func write(to path: String) throws {
        try "\(coordinatorKey.text) \(keys.secretKey) \(port)".write(toFile: path, atomically: true, encoding: .utf8)
    }

    func client() throws -> OperatorClient {
        try OperatorClient(
            context: Context(), keys: keys, coordinatorKey: coordinatorKey, host: "127.0.0.1", port: port)
    }
}

/// What nodes need to reach a coordinator on loopback, as a value that another process can read.
struct Introduction: Sendable {
    let coordinatorKey: CurvePublicKey
    let controlPort: Int
    let bulkPort: Int
    let clockPort: Int
    let members: [NodeName: CurveKeyPair]

    /// The members' names in order.
    var names: [NodeName] { members.keys.sorted() }

    func keys(of name: NodeName) -> CurveKeyPair { members[name] ?? .generate() }

    // MARK: In a file

    /// The coordinator's key and ports; then a line for each member with its name and its secret key.
    func write(to path: String) throws {
        let lines =
            ["\(coordinatorKey.text) \(controlPort) \(bulkPort) \(clockPort)"]
            + members.map { "\($0) \($1.secretKey)" }
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    init(reading path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: " ")
        }
        guard let key = CurvePublicKey(lines[0][0]) else { preconditionFailure("it is a key") }
        let ports = lines[0].dropFirst().compactMap { Int($0) }
        let members = lines.dropFirst().map { words in
            guard let name = NodeName(words[0]), let keys = CurveKeyPair(secretKey: words[1]) else {
                preconditionFailure("it is a name and a key")
            }
            return (name, keys)
        }
        self.init(
            coordinatorKey: key, controlPort: ports[0], bulkPort: ports[1], clockPort: ports[2],
            members: Dictionary(uniqueKeysWithValues: members))
    }

    init(
        coordinatorKey: CurvePublicKey, controlPort: Int, bulkPort: Int, clockPort: Int,
        members: [NodeName: CurveKeyPair]
    ) {
        self.coordinatorKey = coordinatorKey
        (self.controlPort, self.bulkPort, self.clockPort) = (controlPort, bulkPort, clockPort)
        self.members = members
    }

    // MARK: The nodes' side

    /// A node as its program composes it.
    func node(
        _ name: NodeName, spool: String, camera: @escaping NodeService.CameraFactory
    ) throws -> NodeService {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .error
        return NodeService(
            name: name, link: try link(name), spool: try Spool(root: spool), software: "benchmark", logger: logger,
            folder: spool, openCamera: camera)
    }

    private func link(_ name: NodeName) throws -> NodeSockets {
        try NodeSockets(
            context: Context(), keys: keys(of: name), coordinatorKey: coordinatorKey, host: "127.0.0.1",
            port: controlPort, now: { MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()) })
    }

    /// A node's link with its clock plane open.
    func clockLink(_ name: NodeName) throws -> NodeSockets {
        let link = try link(name)
        try link.openPlanes(clockPort: clockPort, bulkPort: bulkPort, instance: "1")
        return link
    }
}
