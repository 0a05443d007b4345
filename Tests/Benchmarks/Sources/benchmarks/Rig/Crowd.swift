import CZeroMQ
import CaptureModel
import Glibc
import Posix
import RigClock
import RigProtocol
import ZeroMQ

/// Many nodes in one process, each with its three connections: they say each second that they are there, and take part in
/// captures as ``ScriptedNode`` does.
struct Crowd {
    private struct Member {
        let name: NodeName
        let keys: CurveKeyPair
        let control: UnsafeMutableRawPointer?
        var bulk: UnsafeMutableRawPointer?
        var clock: UnsafeMutableRawPointer?
    }

    private let introduction: Introduction
    private let place: String
    /// How many events of each capture were acknowledged.
    private var acknowledged: [UniqueID: Int] = [:]
    private let context = zmq_ctx_new()
    private var members: [Member] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// Runs until it is ended.
    ///
    /// - Parameter place: what ``Introduction/write(to:)`` wrote.
    static func run(_ place: String) throws -> Never {
        OpenFiles.raiseLimit()
        var crowd = Crowd(try Introduction(reading: place), place)
        var nextBeat = Clocks.monotonicNanoseconds()
        while true {
            let isBeat = Clocks.monotonicNanoseconds() >= nextBeat
            if isBeat { nextBeat += 1_000_000_000 }
            for index in crowd.members.indices { crowd.turn(index, isBeat) }
            usleep(5000)
        }
    }

    private init(_ introduction: Introduction, _ place: String) {
        (self.introduction, self.place) = (introduction, place)
        zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 4 * CInt(introduction.members.count))
        members = introduction.names.map { name in
            let keys = introduction.keys(of: name)
            return Member(name: name, keys: keys, control: connect(keys, introduction.controlPort))
        }
    }

    private mutating func turn(_ index: Int, _ isBeat: Bool) {
        let member = members[index]
        if isBeat {
            if member.bulk == nil {
                send(ScriptedNode.hello(member.name), member.control)
            } else {
                send(ScriptedNode.heartbeat(), member.control)
                send(Probe(sent: MonotonicTime(nanoseconds: 1)), member.clock)
            }
        }
        while zmq_recv(member.clock, &buffer, buffer.count, ZMQ_DONTWAIT) >= 0 {}
        while let request = receive(ChunkRequest.self, member.bulk) {
            let chunk = Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
            let photo = ScriptedNode.photo
            send(chunk, member.bulk, ZMQ_SNDMORE)
            zmq_send(member.bulk, photo, photo.count, ZMQ_DONTWAIT)
        }
        while let message = receive(CoordinatorMessage.self, member.control) { answer(message, index) }
    }

    private mutating func answer(_ message: CoordinatorMessage, _ index: Int) {
        let member = members[index]
        switch message {
        case .welcome where member.bulk == nil:
            members[index].bulk = connect(member.keys, introduction.bulkPort)
            members[index].clock = connect(member.keys, introduction.clockPort)
            send(BulkHello(instance: "1"), members[index].bulk)
        case .prepare(let prepare): send(ScriptedNode.prepared(prepare.uniqueID), member.control)
        case .fire(let fire):
            for event in ScriptedNode.events(fire.uniqueID) { send(EventReport(event: event), member.control) }
        case .rejected(let rejected): preconditionFailure(rejected.message)
        case .stored(let stored): acknowledged(stored)
        case .welcome, .heartbeat, .cancel, .moveStart, .identify, .camera: break
        }
    }

    /// Makes a file once nothing of a capture is owed any more.
    private mutating func acknowledged(_ stored: Stored) {
        let count = acknowledged[stored.uniqueID, default: 0] + stored.sequences.count
        acknowledged[stored.uniqueID] = count
        guard count == members.count * ScriptedNode.eventCount else { return }
        close(creat(Self.sign(place, stored.uniqueID), 0o600))
    }

    /// The file that says that all of a capture was acknowledged.
    static func sign(_ place: String, _ id: UniqueID) -> String { "\(place).\(id)" }

    // MARK: Sockets

    private mutating func receive<Message: WireReadable>(
        _ type: Message.Type, _ socket: UnsafeMutableRawPointer?
    ) -> Message? {
        guard let socket else { return nil }
        let count = zmq_recv(socket, &buffer, buffer.count, ZMQ_DONTWAIT)
        guard count >= 0 else { return nil }
        return buffer[..<Int(count)].withUnsafeBytes { try? Codec.decode(type, from: $0) }
    }

    private func send(_ body: some WireMessage, _ socket: UnsafeMutableRawPointer?, _ flags: CInt = 0) {
        let bytes = Codec.encode(body, sequence: 1)
        _ = bytes.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, ZMQ_DONTWAIT | flags) }
    }

    private func connect(_ keys: CurveKeyPair, _ port: Int) -> UnsafeMutableRawPointer? {
        let socket = zmq_socket(context, ZMQ_DEALER)
        zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, introduction.coordinatorKey.text, 41)
        zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, keys.publicKey.text, 41)
        zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, keys.secretKey, 41)
        precondition(zmq_connect(socket, "tcp://127.0.0.1:\(port)") == 0)
        return socket
    }
}
