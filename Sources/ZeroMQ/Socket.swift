import CZeroMQ

/// The owner of a libzmq socket; it lives and dies on one thread.
struct Socket: ~Copyable {
    let pointer: UnsafeMutableRawPointer

    init(_ context: Context, _ type: CInt) throws(ZeroMQError) {
        guard let pointer = zmq_socket(context.pointer, type) else {
            throw ZeroMQError(call: "zmq_socket", subject: "socket")
        }
        self.pointer = pointer
    }

    deinit {
        zmq_close(pointer)
    }

    func set(_ option: CInt, _ value: CInt) throws(ZeroMQError) {
        var value = value
        try check(
            zmq_setsockopt(pointer, option, &value, MemoryLayout<CInt>.size), "zmq_setsockopt", "option \(option)")
    }

    func set(_ option: CInt, _ value: Int64) throws(ZeroMQError) {
        var value = value
        try check(
            zmq_setsockopt(pointer, option, &value, MemoryLayout<Int64>.size), "zmq_setsockopt", "option \(option)")
    }

    func set(_ option: CInt, _ bytes: [UInt8]) throws(ZeroMQError) {
        try check(zmq_setsockopt(pointer, option, bytes, bytes.count), "zmq_setsockopt", "option \(option)")
    }

    func set(_ option: CInt, _ text: String) throws(ZeroMQError) {
        try check(zmq_setsockopt(pointer, option, text, text.utf8.count), "zmq_setsockopt", "option \(option)")
    }

    /// Binds; to `*` and `[::]` for both families.
    func bind(_ endpoint: String) throws(ZeroMQError) {
        // Where the kernel has no IPv6, libzmq takes IPv4 for the star.
        if endpoint.hasPrefix("tcp://*") || endpoint.contains("[") { try set(ZMQ_IPV6, CInt(1)) }
        try check(zmq_bind(pointer, endpoint), "zmq_bind", endpoint)
    }

    func connect(_ endpoint: String) throws(ZeroMQError) {
        try check(zmq_connect(pointer, endpoint), "zmq_connect", endpoint)
    }

    /// The endpoint bound last, with the port that the system chose for `*`.
    func lastEndpoint() throws(ZeroMQError) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        var size = buffer.count
        try check(zmq_getsockopt(pointer, ZMQ_LAST_ENDPOINT, &buffer, &size), "zmq_getsockopt", "ZMQ_LAST_ENDPOINT")
        return String(decoding: buffer.prefix(max(0, size - 1)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func check(_ result: CInt, _ call: String, _ subject: String) throws(ZeroMQError) {
        if result < 0 { throw ZeroMQError(call: call, subject: subject) }
    }

    /// A request to the ZAP handler has seven frames, a rig's message three; frames beyond this are thrown away.
    private static var mostFrames: Int { 8 }

    /// The frames of the next waiting message; nil if none waits.
    func receive() throws(ZeroMQError) -> [Frame]? {
        var frames: [Frame] = []
        repeat {
            let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
            zmq_msg_init(message)
            if zmq_msg_recv(message, pointer, ZMQ_DONTWAIT) < 0 {
                let error = ZeroMQError(call: "zmq_msg_recv", subject: "socket")
                zmq_msg_close(message)
                message.deallocate()
                if error.errno == EAGAIN || error.errno == EINTR { return nil }
                throw error
            }
            let more = zmq_msg_more(message) != 0
            let frame = Frame(adopting: message)
            if frames.count < Self.mostFrames { frames.append(frame) }
            if !more { return frames }
        } while true
    }

    /// What became of a message.
    enum Sending {
        /// libzmq has it.
        case sent
        /// The peer's queue is full; nothing of it was taken.
        case wouldBlock
        /// Nobody with that routing id is connected.
        case unreachable
    }

    /// Hands a message to libzmq, whole or not at all.
    func send(_ frames: [Frame]) throws(ZeroMQError) -> Sending {
        for (index, frame) in frames.enumerated() {
            let more = index + 1 < frames.count ? ZMQ_SNDMORE : 0
            switch frame.send(on: pointer, flags: ZMQ_DONTWAIT | more) {
            case 0: continue
            case EAGAIN where index == 0, EINTR where index == 0: return .wouldBlock
            case EHOSTUNREACH: return .unreachable
            // The peer went away between two frames; libzmq discards what it had of the message.
            case _ where index > 0: return .unreachable
            case let reason: throw ZeroMQError(call: "zmq_msg_send", errno: reason, subject: "socket")
            }
        }
        return .sent
    }
}
