package import CaptureModel
import Posix
package import RigClock
package import RigProtocol
import Synchronization
package import ZeroMQ

/// A node's three sockets: control, bulk and clock, each with a thread of its own.
package final class NodeSockets: NodeLink {
    private struct Planes {
        var clockPort = 0
        var bulkPort = 0
        var bulk: SocketChannel?
        /// What the node says on the bulk plane before anything is asked of it.
        var bulkHello: Frame?
        var clock: SocketChannel?
        var bulkReader: Task<Void, Never>?
    }

    private let context: Context
    private let keys: CurveKeyPair
    private let coordinatorKey: CurvePublicKey
    private let host: String
    private let port: Int
    private let usesIPv6: Bool
    private let now: @Sendable () -> MonotonicTime
    /// Replaced after a refusal; nil once the link is closed.
    private let control: Mutex<SocketChannel?>
    private let planes = Mutex(Planes())
    private let sequence = Mutex(0)
    private let probeAnswers: ProbeAnswers
    private let chunkRequestsInput: AsyncStream<ChunkRequest>.Continuation
    private let chunkRequests: StreamReader<ChunkRequest>
    private let previewRequestsInput: AsyncStream<PreviewRequest>.Continuation
    private let previewRequests: StreamReader<PreviewRequest>
    private let probes: StreamReader<ClockProbe>

    /// Connects the control plane.
    ///
    /// - Parameters:
    ///   - host: the coordinator's name or address, one of IPv6 in brackets.
    ///   - port: of its control plane.
    ///   - now: reads CLOCK_MONOTONIC, also on the clock plane's own thread.
    package init(
        context: Context, keys: CurveKeyPair, coordinatorKey: CurvePublicKey, host: String, port: Int,
        now: @escaping @Sendable () -> MonotonicTime
    ) throws(ZeroMQError) {
        self.context = context
        self.keys = keys
        self.coordinatorKey = coordinatorKey
        self.host = host
        self.now = now
        self.port = port
        usesIPv6 = SocketAddress.isIPv6(host)
        control = Mutex(nil)
        // A coordinator's credit is a few chunks; what it gets no answer to, it asks for again.
        let (requests, requestsInput) = AsyncStream<ChunkRequest>.makeStream(bufferingPolicy: .bufferingOldest(64))
        let (probes, probesInput) = AsyncStream<ClockProbe>.makeStream(bufferingPolicy: .bufferingNewest(16))
        chunkRequestsInput = requestsInput
        // One of each size is under way.
        let (previews, previewsInput) = AsyncStream<PreviewRequest>.makeStream(bufferingPolicy: .bufferingNewest(2))
        (previewRequests, previewRequestsInput) = (StreamReader(previews), previewsInput)
        probeAnswers = ProbeAnswers(probesInput)
        chunkRequests = StreamReader(requests)
        self.probes = StreamReader(probes)
        let control = try connect("control", port)
        self.control.withLock { $0 = control }
    }

    private func connect(
        _ name: String, _ port: Int, _ handler: SocketChannel.Handler? = nil
    ) throws(ZeroMQError) -> SocketChannel {
        var options = SocketOptions()
        options.security = .client(keys, server: coordinatorKey)
        options.usesIPv6 = usesIPv6
        options.dropsWhileDisconnected = true
        (options.isUrgent, options.isBulk) = (name == "clock", name == "bulk")
        // Chunks are large: only a few are kept for a coordinator that asks but does not read.
        if name == "bulk" { (options.queueLimit, options.sendHighWaterMark) = (16, 16) }
        return try SocketChannel(
            context: context, name: name, type: .dealer, options: options,
            attachment: .connect("tcp://\(host):\(port)"), handler: handler)
    }

    // MARK: NodeLink

    /// Sends a message on the control plane; one that is sent while disconnected is lost.
    package func send(_ message: NodeMessage) {
        // A hello on the bulk plane gets no answer, and a slow link or a full inbox may have swallowed it.
        if case .heartbeat = message { sayBulkHello() }
        control.withLock { $0 }?.send([Frame(Codec.encode(message.body, sequence: nextSequence()))])
    }

    private func sayBulkHello() {
        let (bulk, hello) = planes.withLock { ($0.bulk, $0.bulkHello) }
        if let hello { bulk?.send([hello]) }
    }

    private func nextSequence() -> Int {
        sequence.withLock { count in
            count += 1
            return count
        }
    }

    /// Returns what comes next on the control plane; nil once the link is closed.
    package func next() async -> NodeArrival? {
        while let event = await control.withLock({ $0 })?.receive() {
            switch event {
            case .monitor(.disconnected): return .disconnected
            case .monitor(.authenticationFailed), .monitor(.handshakeFailed): return .keyRefused
            // With a single peer nothing is dropped.
            case .monitor(.handshakeSucceeded), .dropped: continue
            case .message(let frames):
                guard let frame = frames.first else { continue }
                do throws(WireError) {
                    return .message(try frame.decode(CoordinatorMessage.self))
                } catch {
                    return .malformed(error)
                }
            }
        }
        return nil
    }

    /// Replaces the control plane's connection, which libzmq gives up for good when it is refused; the next welcome opens
    /// the other planes anew.
    package func reconnect() throws {
        closePlanes()
        let new = try connect("control", port)
        // A link that was closed meanwhile stays closed.
        let superfluous = control.withLock { channel -> SocketChannel in
            guard let old = channel else { return new }
            channel = new
            return old
        }
        superfluous.close()
    }

    /// Connects the clock and bulk planes that a welcome named; on the same ports as before, only says hello again.
    package func openPlanes(clockPort: Int, bulkPort: Int, instance: String) throws {
        // Sockets reconnect by themselves; only different ports need new ones.
        if planes.withLock({ $0.clockPort == clockPort && $0.bulkPort == bulkPort }) {
            // The connection may have outlived what the coordinator remembers of it.
            sayBulkHello()
            return
        }
        closePlanes()
        let bulk = try connect("bulk", bulkPort)
        let clock = try connect("clock", clockPort) {
            [now, probeAnswers] frames in
            guard probeAnswers.answer(frames, returned: now()) == .first else { return nil }
            return Self.probe(.second, probeAnswers, now())
        }
        let hello = Frame(Codec.encode(BulkHello(instance: instance), sequence: 1))
        let reader = Task { [chunkRequestsInput, previewRequestsInput] in
            while let event = await bulk.receive() {
                switch event {
                case .monitor(.handshakeSucceeded):
                    bulk.send([hello])
                case .message(let frames):
                    switch try? frames.first?.decode(BulkRequest.self) {
                    case .chunk(let request): chunkRequestsInput.yield(request)
                    case .preview(let request): previewRequestsInput.yield(request)
                    case nil: continue
                    }
                case .monitor, .dropped:
                    continue
                }
            }
        }
        planes.withLock {
            $0 = Planes(
                clockPort: clockPort, bulkPort: bulkPort, bulk: bulk, bulkHello: hello, clock: clock,
                bulkReader: reader)
        }
    }

    private func closePlanes() {
        let old = planes.withLock { planes in
            defer { planes = Planes() }
            return planes
        }
        old.bulkReader?.cancel()
        old.bulk?.close()
        old.clock?.close()
    }

    /// Returns the next request for a piece of a photo; nil once the link is closed.
    package func nextChunkRequest() async -> ChunkRequest? { await chunkRequests.next() }

    /// Sends a piece of a photo; dropped where the coordinator does not read, which then asks again.
    package func send(_ chunk: Chunk, bytes: [UInt8]) { sendBulk(chunk, bytes) }

    private func sendBulk(_ message: some WireMessage, _ bytes: [UInt8]) {
        let bulk = planes.withLock { $0.bulk }
        bulk?.send([Frame(Codec.encode(message, sequence: nextSequence())), Frame(bytes)])
    }

    /// Returns the next request for what the camera sees; nil once the link is closed.
    package func nextPreviewRequest() async -> PreviewRequest? { await previewRequests.next() }

    /// Sends what the camera sees; dropped where the coordinator does not read.
    package func send(_ preview: Preview, bytes: [UInt8]) { sendBulk(preview, bytes) }

    /// Sends the first probe of a pair; its answer sends the second.
    package func sendProbe() {
        guard let clock = planes.withLock({ $0.clock }) else { return }
        // Stamped on the socket's thread: the time that a thread takes to wake up is not time on the way.
        clock.send(made: { [now, probeAnswers] in Self.probe(.first, probeAnswers, now()) })
    }

    private static func probe(
        _ turn: OutstandingProbes.Turn, _ answers: ProbeAnswers, _ sent: MonotonicTime
    ) -> [Frame] {
        answers.expect(sent, turn)
        return [Frame(Codec.encode(Probe(sent: sent), sequence: 1))]
    }

    /// Returns the next answered probe; nil once the link is closed.
    package func nextProbe() async -> ClockProbe? { await probes.next() }

    /// Closes all planes; what is being waited for ends with nil.
    package func close() {
        let control = control.withLock { channel in channel.take() }
        control?.close()
        closePlanes()
        chunkRequestsInput.finish()
        previewRequestsInput.finish()
        probeAnswers.finish()
    }
}

/// Passes on the answers to probes that are under way.
private final class ProbeAnswers: Sendable {
    private let outstanding = Mutex(OutstandingProbes())
    private let answers: AsyncStream<ClockProbe>.Continuation

    init(_ answers: AsyncStream<ClockProbe>.Continuation) {
        self.answers = answers
    }

    func expect(_ time: MonotonicTime, _ turn: OutstandingProbes.Turn) {
        outstanding.withLock { $0.expect(time, turn) }
    }

    /// - Returns: which of a pair the answered probe was; nil when nobody is waiting for this answer.
    func answer(_ frames: [Frame], returned: MonotonicTime) -> OutstandingProbes.Turn? {
        guard let reply = try? frames.first?.decode(ProbeReply.self),
            let turn = outstanding.withLock({ $0.take(reply.sent) })
        else { return nil }
        var probe = ClockProbe(
            sent: reply.sent, received: reply.received, answered: reply.answered, returned: returned)
        probe.ownClock = SystemClockReading(offset: Clocks.realtimeOffset(), error: Clocks.realtimeError())
        probe.coordinatorClock = reply.systemClock
        answers.yield(probe)
        return turn
    }

    func finish() {
        answers.finish()
    }
}

/// Reads a stream one element at a time, for one task.
private actor StreamReader<Element: Sendable> {
    private let stream: AsyncStream<Element>

    init(_ stream: AsyncStream<Element>) {
        self.stream = stream
    }

    func next() async -> Element? {
        // An AsyncStream's iterators share its buffer: a new one carries on where the last one stopped.
        for await element in stream { return element }
        return nil
    }
}
