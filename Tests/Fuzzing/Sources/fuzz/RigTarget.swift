import CaptureModel
import RigClock
import RigProtocol
import RigRules

/// A coordinator's rules, to which a peer with a key says one message a line.
enum RigTarget {
    private static let node: NodeName = "a"
    private static let id = UniqueID(rawValue: 1_800_000_000_000_000)
    private static let peer = Peer(routingID: [1])
    private static let caller = Caller(peer: Peer(routingID: [2]), user: "ada", request: 1)
    private static let start = Int64.seconds(1000)

    /// A rig with one node in the middle of a capture.
    private static let rig: CoordinatorMachine = {
        var rig = CoordinatorMachine(
            RigMachine(
                lastUniqueID: UniqueID(rawValue: id.rawValue - 1), lastNews: 0,
                welcome: Welcome(clockPort: 1, bulkPort: 2, epoch: 5, history: 1)), TransferMachine())
        let camera = CameraCapabilities(
            cameraID: "simulated:1", modelID: "m", manufacturer: "v", serialNumber: nil, pixelFormat: "YU12",
            dimensions: Dimensions(width: 64, height: 48), frameDurationNanoseconds: 33_000_000, formats: [.jpeg],
            maxBracketedCapturePhotoCount: 8, controlDelays: ControlDelays(2))
        let hello = Hello(
            node: node, instance: "i", capabilities: camera, cameraError: nil, lastUniqueID: UniqueID(rawValue: 0))
        let clock = ClockReport(
            estimate: ClockEstimate(status: .active, offsetNanoseconds: 0, boundNanoseconds: 1))
        give(.rig(.members(Members(active: [node]))), to: &rig)
        give(.rig(.fromNode(peer, user: node, .hello(hello))), to: &rig)
        give(.rig(.fromNode(peer, user: node, .heartbeat(Heartbeat(clock: clock, spoolFreeBytes: 1 << 40)))), to: &rig)
        give(.bulkOpened(node: node, peer), to: &rig)
        guard let bracket = try? Bracket.burst(3) else { fatalError("a burst of three") }
        let fire = FireRequest(
            requestID: "r", plan: Plan(name: "p", bracket: bracket, policy: .bestEffort), session: nil, labels: [:])
        give(.rig(.fireRequested(caller, fire, freeBytes: 1 << 40)), to: &rig)
        return rig
    }()

    static func node(_ bytes: UnsafeRawBufferPointer) {
        var rig = rig
        var time = start
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(16) {
            let line = UnsafeRawBufferPointer(rebasing: line)
            // Up to forty seconds go by before each: longer than anything is waited for.
            time += Int64((line.last ?? 0) & 0x1f) * 1_300_000_000
            if let message = try? Codec.decode(NodeMessage.self, from: line) {
                give(.rig(.fromNode(peer, user: node, message)), to: &rig, at: time)
            } else if let chunk = try? Codec.decode(Chunk.self, from: line) {
                give(.chunk(chunk, [UInt8](repeating: 0, count: 100), node: node), to: &rig, at: time)
            } else if let preview = try? Codec.decode(Preview.self, from: line) {
                give(.preview(preview, [UInt8](repeating: 0, count: 100), node: node), to: &rig, at: time)
            }
            give(.tick, to: &rig, at: time)
        }
        _ = (rig.metrics, rig.rig.statusLine)
    }

    static func `operator`(_ bytes: UnsafeRawBufferPointer) {
        var rig = rig
        for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(16) {
            guard let request = try? Codec.decode(OperatorRequest.self, from: UnsafeRawBufferPointer(rebasing: line))
            else { continue }
            _ = (request.role, request.act, request.isQuestion)
            switch request {
            case .fire(let fire): give(.rig(.fireRequested(caller, fire, freeBytes: 1 << 40)), to: &rig)
            case .check(let body): give(.rig(.checkRequested(caller, body, freeBytes: 1 << 40)), to: &rig)
            case .arm(let body): give(.rig(.armRequested(caller, body, freeBytes: 1 << 40)), to: &rig)
            case .release(let body): give(.rig(.releaseRequested(caller, body)), to: &rig)
            case .cancel(let id): give(.rig(.cancelRequested(caller, id)), to: &rig)
            case .identify(let body): give(.rig(.identifyRequested(caller, body)), to: &rig)
            case .camera(let body): give(.rig(.cameraRequested(caller, body)), to: &rig)
            case .moveStarts(let body): give(.rig(.moveStartsRequested(caller, body)), to: &rig)
            case .nodes: give(.rig(.nodesRequested(caller)), to: &rig)
            case .clocks: give(.rig(.clocksRequested(caller)), to: &rig)
            case .pending: give(.rig(.pendingRequested(caller)), to: &rig)
            case .previews(let body): give(.previewsRequested(caller, body), to: &rig)
            case _: continue
            }
            give(.tick, to: &rig)
        }
    }

    private static func give(
        _ input: CoordinatorMachine.Input, to rig: inout CoordinatorMachine, at time: Int64 = start
    ) {
        let utc = UTCTime(rawValue: id.rawValue + (time - start) / 1000)
        let moment = Moment(rigTime: RigTime(nanoseconds: time), utc: utc)
        var inputs = [input]
        // Disks that take everything, up to a limit: a loop would hang here.
        for _ in 0..<1000 where !inputs.isEmpty {
            for effect in rig.handle(inputs.removeFirst(), at: moment) {
                switch effect {
                case .work(let work): inputs.append(end(of: work))
                case .load(let id): inputs.append(.rig(.loaded(id, nil)))
                case .send(let message, _): _ = Codec.encode(message.body, sequence: 1)
                case .reply(let reply, _): _ = Codec.encode(reply.body, sequence: 1)
                case .publish(let notice): _ = Codec.encode(notice.body, sequence: 1)
                case .preview(.reply(let reply, _, _)): _ = Codec.encode(reply, sequence: 1)
                case .request, .preview, .report, .alarm: continue
                }
            }
        }
    }

    private static func end(of work: StoreQueue.Work) -> CoordinatorMachine.Input {
        switch work {
        case .commit: .committed(nil)
        case .accept: .accepted(nil)
        case .archive: .archived(nil)
        case .append: .wrote(.appended)
        case .locate: .wrote(.located(false))
        case .complete: .wrote(.completed)
        case .discard: .wrote(.discarded)
        case .publish(let photo, let path): .published(photo, path: path, nil)
        }
    }
}
