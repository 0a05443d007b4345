import CZeroMQ
import CaptureModel
import Glibc
import Posix
import RigProtocol
import RigRules

/// A whole capture as its coordinator decides it, over many nodes in virtual time: each message is read and written as on
/// the wire, and the disks answer at once.
///
/// What it is held against is a bare ROUTER that sends each of these messages back.
enum CaptureBenchmark {
    private static let counts = [125, 250, 500, 1000]

    static func run() -> [Result] {
        let few = VirtualRig(nodeCount: counts[0])
        few.capture()
        var costs: [Double] = []
        var (longest, echo) = (0.0, 0.0)
        for count in counts {
            let rig = VirtualRig(nodeCount: count)
            // The first capture warms up.
            rig.capture()
            rig.forgetCosts()
            rig.capture()
            costs.append(rig.nanoseconds / Double(rig.eventCount))
            longest = rig.longestTurn
            echo = RouterEcho.nanoseconds(of: rig.eventMessages)
            print(
                "     \(count) nodes: \(Int(costs.last ?? 0)) ns an event, longest turn \(Int(longest / 1000)) µs, "
                    + "a bare ROUTER \(Int(echo)) ns")
        }
        return [
            Result(
                name: "capture: the coordinator's CPU an event over that of a bare ROUTER echo, \(counts[3]) nodes",
                value: costs[3] / echo, unit: "", threshold: 0...2),
            Result(
                name: "capture: what an event costs with \(counts[3]) nodes over \(counts[0])",
                value: costs[3] / costs[0],
                unit: "", threshold: 0...1.5),
            Result(
                name: "capture: longest turn with \(counts[3]) nodes", value: longest / 1e6, unit: " ms",
                threshold: 0...50),
        ]
    }
}

/// A coordinator's machine with nodes that do what they are told.
private final class VirtualRig {
    private var machine: CoordinatorMachine
    private var rigTime: Int64 = 1_000_000_000_000
    private let names: [NodeName]
    private var inputs: [CoordinatorMachine.Input] = []
    private var captureCount: Int64 = 0
    private(set) var nanoseconds = 0.0
    private(set) var longestTurn = 0.0
    private(set) var eventCount = 0
    private(set) var eventMessages: [[UInt8]] = []
    private var storedCount = 0

    init(nodeCount: Int) {
        names = (0..<nodeCount).compactMap { NodeName("node-\($0)") }
        machine = CoordinatorMachine(
            RigMachine(
                lastUniqueID: UniqueID(rawValue: 0), lastNews: 0,
                welcome: Welcome(clockPort: 1, bulkPort: 2, epoch: 5, history: 1)),
            TransferMachine())
        take(.rig(.members(Members(active: names))))
        for name in names {
            hear(ScriptedNode.hello(name), name)
            take(.bulkOpened(node: name, peer(name)))
        }
        beat()
    }

    func forgetCosts() { (nanoseconds, longestTurn, eventCount, storedCount, eventMessages) = (0, 0, 0, 0, []) }

    /// Fires and plays the capture to its end.
    func capture() {
        captureCount += 1
        let request = FireRequest(
            requestID: "r\(captureCount)", plan: ScriptedNode.plan(), session: nil, labels: [:])
        let caller = Caller(peer: Peer(routingID: [0]), user: "ada", request: 1)
        take(.rig(.fireRequested(caller, request, freeBytes: 1 << 45)))
        var turns = 0
        while storedCount < names.count * ScriptedNode.eventCount || !inputs.isEmpty {
            let waiting = inputs
            inputs = []
            for input in waiting { take(input) }
            turns += 1
            // A photo's pieces follow one another a millisecond apart.
            if waiting.isEmpty || turns % 1000 == 0 { beat() }
            precondition(turns < 100_000, "the capture stands still")
        }
    }

    /// A second goes by.
    private func beat() {
        rigTime += 1_000_000_000
        // What a rig costs that does nothing is not an event's.
        let before = nanoseconds
        defer { nanoseconds = before }
        for name in names { hear(ScriptedNode.heartbeat(), name) }
        take(.tick)
    }

    private func name(_ peer: Peer) -> NodeName {
        guard let name = NodeName(String(decoding: peer.routingID, as: UTF8.self)) else {
            preconditionFailure("each peer is a node")
        }
        return name
    }

    private func peer(_ name: NodeName) -> Peer { Peer(routingID: Array(name.rawValue.utf8)) }

    private func hear(_ body: some WireMessage, _ name: NodeName) {
        let bytes = Codec.encode(body, sequence: 1)
        if body is EventReport { eventMessages.append(bytes) }
        spend {
            guard let message = bytes.withUnsafeBytes({ try? Codec.decode(NodeMessage.self, from: $0) }) else {
                preconditionFailure("it is a message")
            }
            return machine.handle(.rig(.fromNode(peer(name), user: name, message)), at: moment)
        }
    }

    private func take(_ input: CoordinatorMachine.Input) { spend { machine.handle(input, at: moment) } }

    private var moment: Moment {
        Moment(rigTime: RigTime(nanoseconds: rigTime), utc: 1_800_000_000_000_000 + rigTime)
    }

    /// Lets the machine turn, and counts what that costs with all that it sends.
    private func spend(_ turn: () -> [CoordinatorMachine.Effect]) {
        let before = Self.processorTime()
        let effects = turn()
        // What it says is written on the planes' own threads.
        longestTurn = max(longestTurn, Self.processorTime() - before)
        for effect in effects {
            switch effect {
            case .send(let message, _): _ = Codec.encode(message.body, sequence: 1)
            case .publish(let notice): _ = Codec.encode(notice.body, sequence: 1)
            case .request(let request, _): _ = Codec.encode(request, sequence: 1)
            case .reply, .load, .work, .preview, .report, .alarm: break
            }
        }
        nanoseconds += Self.processorTime() - before
        for effect in effects { answer(effect) }
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    // MARK: What answers

    private func answer(_ effect: CoordinatorMachine.Effect) {
        switch effect {
        case .send(let message, let peer): answer(message, name(peer))
        case .request(let request, let peer):
            let chunk = Chunk(uniqueID: request.uniqueID, photoCount: request.photoCount, offset: request.offset)
            inputs.append(.chunk(chunk, ScriptedNode.photo, node: name(peer)))
        case .work(let work): answer(work)
        case .reply(.refused(let refusal), _): preconditionFailure("\(refusal)")
        case .alarm(let text): preconditionFailure(text)
        case .reply, .publish, .load, .preview, .report: break
        }
    }

    private func answer(_ message: CoordinatorMessage, _ name: NodeName) {
        switch message {
        case .prepare(let prepare): hear(ScriptedNode.prepared(prepare.uniqueID), name)
        case .fire(let fire): for event in ScriptedNode.events(fire.uniqueID) { tell(event, name) }
        case .stored(let stored): storedCount += stored.sequences.count
        case .welcome, .rejected, .heartbeat, .cancel, .moveStart, .identify, .camera: break
        }
    }

    private func tell(_ event: CaptureEvent, _ name: NodeName) {
        eventCount += 1
        hear(EventReport(event: event), name)
    }

    private func answer(_ work: StoreQueue.Work) {
        switch work {
        case .commit: inputs.append(.committed(nil))
        case .accept: inputs.append(.accepted(nil))
        case .archive: inputs.append(.archived(nil))
        case .append: inputs.append(.wrote(.appended))
        case .locate: inputs.append(.wrote(.located(false)))
        case .complete: inputs.append(.wrote(.completed))
        case .discard: inputs.append(.wrote(.discarded))
        case .publish(let photo, let path): inputs.append(.published(photo, path: path, nil))
        }
    }
}

/// The named peer: libzmq's ROUTER over loopback, which sends each message back to whom it came from.
enum RouterEcho {
    /// What a message takes of the ROUTER's side in processor time.
    ///
    /// One side of two alike: the other one sends as many and receives as many.
    static func nanoseconds(of messages: [[UInt8]]) -> Double {
        let context = zmq_ctx_new()
        let router = zmq_socket(context, ZMQ_ROUTER)
        let dealer = zmq_socket(context, ZMQ_DEALER)
        precondition(zmq_bind(router, "tcp://127.0.0.1:*") == 0)
        var endpoint = [CChar](repeating: 0, count: 256)
        var size = endpoint.count
        zmq_getsockopt(router, ZMQ_LAST_ENDPOINT, &endpoint, &size)
        precondition(zmq_connect(dealer, endpoint) == 0)
        let before = ProcessorTime.ofThisProcess()
        var (identity, buffer) = ([UInt8](repeating: 0, count: 256), [UInt8](repeating: 0, count: 1 << 16))
        for batch in stride(from: 0, to: messages.count, by: 500) {
            let some = messages[batch..<min(batch + 500, messages.count)]
            for message in some { _ = zmq_send(dealer, message, message.count, 0) }
            for _ in some {
                let length = zmq_recv(router, &identity, identity.count, 0)
                let count = zmq_recv(router, &buffer, buffer.count, 0)
                _ = zmq_send(router, identity, Int(length), ZMQ_SNDMORE)
                _ = zmq_send(router, buffer, Int(count), 0)
            }
            for _ in some { _ = zmq_recv(dealer, &buffer, buffer.count, 0) }
        }
        let seconds = ProcessorTime.ofThisProcess() - before
        zmq_close(dealer)
        zmq_close(router)
        zmq_ctx_term(context)
        return seconds / 2 / Double(messages.count) * 1e9
    }
}
