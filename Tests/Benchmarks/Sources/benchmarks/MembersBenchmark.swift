import CZeroMQ
import CaptureModel
import Coordinator
import Foundation
import Glibc
import Posix
import RigClock
import RigProtocol
import RigTransport
import ZeroMQ

/// What a thousand nodes take of a coordinator's memory.
///
/// libzmq's queues are chunks of 256 messages, and each way of a connection comes to have two of them: at a message a
/// second that takes nine minutes, so only then is it seen whether memory stays as it is.
enum MembersBenchmark {
    private static let nodeCount = 1000
    private static let minutes = 15

    static func run() async throws -> [Result] {
        OpenFiles.raiseLimit()
        let folder = NSTemporaryDirectory() + "/volley-members-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder + "/library", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let names = (0..<nodeCount).compactMap { NodeName("node-\($0)") }
        let coordinator = try LoopbackCoordinator(library: folder + "/library", nodes: names)
        defer { coordinator.close() }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await coordinator.service.run() }
            try await Task.sleep(for: .seconds(3))
            let before = residentKilobytes()
            let place = folder + "/nodes"
            try coordinator.introduction(of: names).write(toFile: place, atomically: true, encoding: .utf8)
            let nodes = Child([CommandLine.arguments[0], "members-nodes=\(place)"])
            var sizes: [Double] = []
            for minute in 1...minutes {
                try await Task.sleep(for: .seconds(60))
                sizes.append(Double(residentKilobytes() - before) / Double(nodeCount))
                print("     after \(minute) minutes: \(sizes[minute - 1]) KiB a node")
            }
            nodes.end()
            await coordinator.service.stop()
            try await group.waitForAll()
            let size = sizes[minutes - 1]
            let growth = size - sizes[minutes * 2 / 3 - 1]
            return [
                Result(
                    name: "members: memory of a coordinator for each of \(nodeCount) nodes", value: size, unit: " KiB",
                    threshold: 0...64),
                Result(
                    name: "members: its growth in the last \(minutes / 3) minutes of \(minutes)", value: growth,
                    unit: " KiB",
                    threshold: -64...4),
            ]
        }
    }

    private static func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }

    // MARK: The nodes, in a process of their own

    private struct Member {
        let name: NodeName
        let keys: CurveKeyPair
        let control: UnsafeMutableRawPointer?
        var bulk: UnsafeMutableRawPointer?
        var clock: UnsafeMutableRawPointer?
    }

    /// Runs until it is ended.
    ///
    /// - Parameter place: what ``LoopbackCoordinator/introduction(of:)`` wrote.
    static func runNodes(_ place: String) throws -> Never {
        OpenFiles.raiseLimit()
        let lines = try String(contentsOfFile: place, encoding: .utf8).split(separator: "\n").map(String.init)
        let context = zmq_ctx_new()
        zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 4 * CInt(lines.count))
        var members = lines.dropFirst().map { line -> Member in
            let words = line.split(separator: " ")
            guard let name = NodeName(words[0]), let keys = CurveKeyPair(secretKey: words[1]) else {
                preconditionFailure("it is a name and a key")
            }
            return Member(name: name, keys: keys, control: connect(context, keys, lines[0], port: 0))
        }
        while true {
            for index in members.indices { turn(&members[index], context, lines[0]) }
            sleep(1)
        }
    }

    /// As a node does each second: it says that it is there, and reads what came.
    private static func turn(_ member: inout Member, _ context: UnsafeMutableRawPointer?, _ coordinator: String) {
        if member.bulk == nil {
            let hello = Hello(
                node: member.name, instance: "1", capabilities: nil, cameraError: nil,
                lastUniqueID: UniqueID(rawValue: 0))
            send(Codec.encode(hello, sequence: 1), member.control)
        } else {
            let clock = ClockReport(
                estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
            send(Codec.encode(Heartbeat(clock: clock), sequence: 1), member.control)
            send(Codec.encode(Probe(sent: MonotonicTime(nanoseconds: 1)), sequence: 1), member.clock)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while zmq_recv(member.clock, &buffer, buffer.count, ZMQ_DONTWAIT) >= 0 {}
        while true {
            let count = zmq_recv(member.control, &buffer, buffer.count, ZMQ_DONTWAIT)
            guard count >= 0 else { return }
            let message = buffer[..<Int(count)].withUnsafeBytes { try? Codec.decode(CoordinatorMessage.self, from: $0) }
            guard case .welcome? = message, member.bulk == nil else { continue }
            member.bulk = connect(context, member.keys, coordinator, port: 1)
            member.clock = connect(context, member.keys, coordinator, port: 2)
            send(Codec.encode(BulkHello(instance: "1"), sequence: 1), member.bulk)
        }
    }

    private static func send(_ bytes: [UInt8], _ socket: UnsafeMutableRawPointer?) {
        _ = bytes.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT) }
    }

    /// - Parameter coordinator: its public key and its ports.
    private static func connect(
        _ context: UnsafeMutableRawPointer?, _ keys: CurveKeyPair, _ coordinator: String, port: Int
    ) -> UnsafeMutableRawPointer? {
        let words = coordinator.split(separator: " ").map(String.init)
        let socket = zmq_socket(context, ZMQ_DEALER)
        zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, words[0], 41)
        zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys.publicKey.text, 41)
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys.secretKey, 41)
        precondition(zmq_connect(socket, "tcp://127.0.0.1:\(words[1 + port])") == 0)
        return socket
    }
}
