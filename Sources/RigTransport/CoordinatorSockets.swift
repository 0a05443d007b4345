package import CaptureModel
import Posix
import RigClock
package import RigProtocol
import Synchronization
package import ZeroMQ

/// The coordinator's five sockets: control, bulk and clock for nodes, requests and events for operators.
///
/// Each plane has a socket and a thread of its own, so that a heartbeat never waits behind a photo, and a probe waits
/// behind nothing.
package final class CoordinatorSockets: CoordinatorLink {
    /// ZAP domains: who may connect where.
    package enum Domain {
        /// For the control, clock and bulk planes.
        package static let nodes = "nodes"
        /// For requests and events.
        package static let operators = "operators"
    }

    private let control: SocketChannel
    private let bulk: SocketChannel
    private let clock: SocketChannel
    private let operators: SocketChannel
    private let events: SocketChannel
    private let sequence = Mutex<[String: Int]>([:])
    /// How many turns each plane's thread had made, and when that was first seen.
    private let turns = Mutex<[String: (count: Int, since: RigTime)]>([:])
    /// The time without a turn after which a plane's thread hangs, in nanoseconds.
    private static let longestTurn = Int64.seconds(10)

    /// Bound for the nodes' control plane.
    package let controlPort: Int
    /// Bound for operators' requests.
    package let operatorPort: Int
    /// Bound for the nodes' probes.
    package let clockPort: Int
    /// Bound for the nodes' photos.
    package let bulkPort: Int
    /// Bound for watchers.
    package let eventsPort: Int

    /// Binds all planes.
    ///
    /// - Parameters:
    ///   - host: the address to listen on, or a name of it; `*` for all.
    ///   - port: of the control plane; the others follow it: operators, events, clock, bulk. 0 lets the system choose.
    ///   - door: whom the planes let in at all; nil for everybody.
    ///   - now: reads rig time, on the clock plane's own thread.
    package init(
        context: Context, keys: CurveKeyPair, handler: ZAPHandler, host: String, port: Int, door: Door? = nil,
        now: @escaping @Sendable () -> RigTime
    ) throws(ZeroMQError) {
        let host = SocketAddress.bindable(host)
        func open(
            _ name: String, _ type: SocketType, _ domain: String, _ offset: Int, _ maximumMessageSize: Int64,
            _ answer: SocketChannel.Handler? = nil
        ) throws(ZeroMQError) -> SocketChannel {
            var options = SocketOptions()
            options.maximumMessageSize = maximumMessageSize
            // As much as a thread that is always reading can fall behind by.
            options.receiveHighWaterMark = 64
            // Answers may be large, but callers read them; this is more than may be under way at once.
            if name == "operators" { options.sendHighWaterMark = 32 }
            (options.isUrgent, options.isBulk) = (name == "clock", name == "bulk")
            options.door = door
            options.security = .server(keys, handler, domain: domain)
            let place = port == 0 ? "*" : "\(port + offset)"
            return try SocketChannel(
                context: context, name: name, type: type, options: options,
                attachment: .bind("tcp://\(host):\(place)"), handler: answer)
        }
        control = try open("control", .router, Domain.nodes, 0, 256 << 10)
        operators = try open("operators", .router, Domain.operators, 1, 1 << 20)
        events = try open("events", .publish, Domain.operators, 2, 1 << 10)
        clock = try open("clock", .router, Domain.nodes, 3, 1 << 10) { Self.answerProbe($0, now) }
        bulk = try open("bulk", .router, Domain.nodes, 4, 1 << 20)
        controlPort = control.port
        operatorPort = operators.port
        eventsPort = events.port
        clockPort = clock.port
        bulkPort = bulk.port
    }

    private static func answerProbe(_ frames: [Frame], _ now: () -> RigTime) -> [Frame]? {
        let received = now()
        guard frames.count == 2, let probe = try? frames[1].decode(Probe.self) else { return nil }
        let clock = SystemClockReading(offset: Clocks.realtimeOffset(), error: Clocks.realtimeError())
        let reply = ProbeReply(sent: probe.sent, received: received, answered: now(), systemClock: clock)
        return [frames[0], Frame(Codec.encode(reply, sequence: 1))]
    }

    /// The plane whose thread has made no turn for ten seconds, though it was asked to at each call; nil where all do.
    ///
    /// - Parameter now: rises from call to call.
    package func hungPlane(at now: RigTime) -> String? {
        let planes = [
            ("control", control), ("operators", operators), ("events", events), ("clock", clock), ("bulk", bulk),
        ]
        return turns.withLock { turns in
            planes.first { name, channel in
                let count = channel.countTurns()
                guard let known = turns[name], known.count == count else {
                    turns[name] = (count, now)
                    return false
                }
                return now - known.since > Self.longestTurn
            }?.0
        }
    }

    // MARK: CoordinatorLink

    /// Sends a message on the control plane; one to a connection that is gone is lost.
    package func send(_ message: CoordinatorMessage, to peer: Peer) {
        // Written on the plane's own thread: to a thousand nodes at once it takes longer than the service may be away.
        control.send(made: { [self] in [Frame(peer.routingID), first(message.body, "control")] })
    }

    /// Asks for something on the bulk plane.
    package func request(_ request: BulkRequest, from peer: Peer) {
        bulk.send(made: { [self] in [Frame(peer.routingID), first(request.body, "bulk")] })
    }

    /// Answers a request; the answer's header names it.
    package func reply(_ message: any WireMessage, bytes: [UInt8]?, to caller: Caller) {
        let frames = [Frame(caller.peer.routingID), first(message, "operators", answers: caller.request)]
        operators.send(frames + [bytes.map { Frame($0) }].compactMap(\.self))
    }

    /// Sends a notice to all watchers that can take it now.
    package func publish(_ notice: any WireMessage) {
        events.send(made: { [self] in [first(notice, "events")] })
    }

    private func first(_ body: any WireMessage, _ plane: String, answers: Int? = nil) -> Frame {
        let number = sequence.withLock { counts in
            counts[plane, default: 0] += 1
            return counts[plane, default: 0]
        }
        return Frame(Codec.encode(body, sequence: number, answers: answers))
    }

    /// Returns the next message on the control plane; nil once it is closed.
    package func nextFromNode() async -> Arrival<NodeMessage>? {
        await control.nextArrival { frames throws(WireError) in try frames[1].decode(NodeMessage.self) }
    }

    /// Returns the next request, with the number that its answer has to name; nil once the plane is closed.
    package func nextFromOperator() async -> Arrival<OperatorRequest>? {
        await operators.nextArrival(isAnswered: true) { frames throws(WireError) in
            try frames[1].decode(OperatorRequest.self)
        }
    }

    /// Returns the next message on the bulk plane with the bytes that follow it; nil once it is closed.
    package func nextBulk() async -> Arrival<BulkMessage>? {
        await bulk.nextArrival { frames throws(WireError) in
            switch try frames[1].decode(BulkHeader.self) {
            case .hello(let hello): .hello(hello)
            case .chunk(let chunk): .chunk(chunk, bytes: frames.count > 2 ? frames[2].bytes : [])
            case .preview(let preview): .preview(preview, bytes: frames.count > 2 ? frames[2].bytes : [])
            }
        }
    }

    /// Sends what waits, and closes all planes; blocks until their threads have ended.
    package func close() {
        for channel in [control, bulk, clock, operators, events] { channel.close() }
    }
}

/// What a node says on the bulk plane, without the bytes that follow.
private enum BulkHeader: WireReadable {
    case hello(BulkHello)
    case chunk(Chunk)
    case preview(Preview)

    init(_ header: Header, from decoder: any Decoder) throws {
        switch header.type {
        case BulkHello.type: self = .hello(try BulkHello(from: decoder))
        case Chunk.type: self = .chunk(try Chunk(from: decoder))
        case Preview.type: self = .preview(try Preview(from: decoder))
        default: throw WireError(.unknownType, "Nobody sends '\(header.type)' on the bulk plane.")
        }
    }
}

extension SocketChannel {
    /// The port of the endpoint.
    var port: Int { Int(endpoint.split(separator: ":").last ?? "") ?? 0 }

    /// The next message of a ROUTER; nil once it is closed.
    ///
    /// - Parameter isAnswered: whether the sender has to be told which of its messages is being answered.
    func nextArrival<Message>(
        isAnswered: Bool = false, _ read: ([Frame]) throws(WireError) -> Message
    ) async -> Arrival<Message>? {
        while let event = await receive() {
            switch event {
            case .message(let frames) where frames.count >= 2:
                // Each key that is let in has a name.
                guard let user = NodeName(frames[1].userID ?? "") else { continue }
                let message: Result<Message, WireError>
                do throws(WireError) { message = .success(try read(frames)) } catch { message = .failure(error) }
                let sequence = isAnswered ? frames[1].withUnsafeBytes(Codec.sequence) : nil
                let key = isAnswered ? frames[1].guest?.key.text : nil
                return Arrival(
                    peer: Peer(routingID: frames[0].bytes), user: user, sequence: sequence ?? 0, key: key,
                    message: message)
            case .dropped(let userID, let routingID):
                guard let user = NodeName(userID) else { continue }
                let error = WireError(.overrun, "Messages come faster than they can be read; some were dropped.")
                return Arrival(peer: Peer(routingID: routingID.bytes), user: user, message: .failure(error))
            case .message, .monitor:
                continue
            }
        }
        return nil
    }
}

extension Frame {
    func decode<Content: WireReadable>(_ type: Content.Type) throws(WireError) -> Content {
        try withUnsafeBytes { bytes throws(WireError) in try Codec.decode(type, from: bytes) }
    }
}
