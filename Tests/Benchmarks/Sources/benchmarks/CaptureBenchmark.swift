import CZeroMQ
import CaptureModel
import Glibc
import Posix
import RigClock
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
    private static let camera = CameraCapabilities(
        cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
        dimensions: Dimensions(width: 640, height: 480), frameDurationNanoseconds: 33_000_000, formats: [.jpeg, .dng],
        maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
    private static let photo = [UInt8](repeating: 7, count: 1000)

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
        take(.rig(.members(names)))
        for name in names {
            hear(
                Hello(
                    node: name, instance: "i", capabilities: Self.camera, cameraError: nil,
                    lastUniqueID: UniqueID(rawValue: 0)), name)
            take(.bulkOpened(node: name, peer(name)))
        }
        beat()
    }

    func forgetCosts() { (nanoseconds, longestTurn, eventCount, storedCount, eventMessages) = (0, 0, 0, 0, []) }

    /// Fires a bracket of three in two formats and plays it to its end.
    func capture() {
        captureCount += 1
        guard let bracket = try? Bracket.burst(3) else { preconditionFailure("it is a bracket") }
        let plan = Plan(name: "p", bracket: bracket, formats: [.jpeg, .dng], policy: .all)
        let request = FireRequest(requestID: "r\(captureCount)", plan: plan, session: nil, labels: [:])
        let caller = Caller(peer: Peer(routingID: [0]), user: "ada", request: 1)
        take(.rig(.fireRequested(caller, request, freeBytes: 1 << 45)))
        var turns = 0
        while storedCount < names.count * 14 || !inputs.isEmpty {
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
        let clock = ClockReport(
            estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1000),
            phaseNanoseconds: 0)
        for name in names { hear(Heartbeat(clock: clock), name) }
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
            case .reply, .load, .work, .report, .alarm: break
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
            inputs.append(.chunk(chunk, Self.photo, node: name(peer)))
        case .work(let work): answer(work)
        case .reply(.refused(let refusal), _): preconditionFailure("\(refusal)")
        case .alarm(let text): preconditionFailure(text)
        case .reply, .publish, .load, .report: break
        }
    }

    private func answer(_ message: CoordinatorMessage, _ name: NodeName) {
        switch message {
        case .prepare(let prepare):
            let timing = CaptureTiming(
                leadNanoseconds: 100_000_000, stepNanoseconds: [33_000_000, 33_000_000, 33_000_000],
                frameDurationNanoseconds: 33_000_000)
            let prepared = Prepared(
                uniqueID: prepare.uniqueID, settings: Self.settings(prepare.uniqueID), timing: timing)
            hear(prepared, name)
        case .fire(let fire): for event in Self.events(fire.uniqueID) { tell(event, name) }
        case .stored(let stored): storedCount += stored.sequences.count
        case .welcome, .rejected, .heartbeat, .cancel, .moveStart: break
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

    private static func settings(_ id: UniqueID) -> ResolvedPhotoSettings {
        ResolvedPhotoSettings(
            uniqueID: id, photoDimensions: camera.dimensions, rawPhotoDimensions: camera.dimensions,
            expectedPhotoCount: 6,
            exposures: (1...3).map {
                ResolvedExposure(
                    sequenceCount: $0, exposureTargetBias: nil, duration: ExposureDuration(nanoseconds: 4_000_000),
                    iso: 100)
            })
    }

    /// What a node says of a capture: 14 events, six of them with a photo.
    private static func events(_ id: UniqueID) -> [CaptureEvent] {
        let settings = settings(id)
        var events: [CaptureEvent] = []
        func add(_ kind: CaptureEventKind, _ step: Int?, _ photo: PhotoRecord? = nil) {
            events.append(
                CaptureEvent(
                    uniqueID: id, sequence: events.count + 1, kind: kind, time: MonotonicTime(nanoseconds: 1),
                    rigTime: RigTime(nanoseconds: 1), sequenceCount: step,
                    resolvedSettings: kind == .willBeginCapture ? settings : nil, photo: photo))
        }
        add(.willBeginCapture, nil)
        for step in 1...3 {
            add(.willCapturePhoto, step)
            add(.didCapturePhoto, step)
        }
        for count in 1...6 {
            let step = (count + 1) / 2
            var record = PhotoRecord(
                photoCount: count, sequenceCount: step, format: count % 2 == 1 ? .jpeg : .dng,
                requested: settings.exposures[step - 1])
            (record.applied, record.verified) = (record.requested.exposure, record.requested.exposure)
            record.verification = .verified
            record.exposureStartRigTime = RigTime(nanoseconds: 1)
            record.exposureStartUncertaintyNanoseconds = 1000
            record.file = PhotoFile(
                byteCount: photo.count, sha256: String(repeating: "a", count: 64), dimensions: camera.dimensions,
                imageUniqueID: "0123456789abcdef0123456789abcdef")
            add(.didFinishProcessingPhoto, step, record)
        }
        add(.didFinishCapture, nil)
        return events
    }
}

extension ResolvedExposure {
    fileprivate var exposure: Exposure { Exposure(duration: duration, iso: iso) }
}

/// The named peer: libzmq's ROUTER over loopback, which sends each message back to whom it came from.
private enum RouterEcho {
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
        var usage = [rusage(), rusage()]
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage[0])
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
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage[1])
        zmq_close(dealer)
        zmq_close(router)
        zmq_ctx_term(context)
        func seconds(_ usage: rusage) -> Double {
            [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
        }
        return (seconds(usage[1]) - seconds(usage[0])) / 2 / Double(messages.count) * 1e9
    }
}
