import CZeroMQ

/// What libzmq tells of a connection.
package enum MonitorEvent: Sendable, Hashable {
    /// Connected, handshake done, both sides admitted.
    case handshakeSucceeded
    /// The other side refused this side's key, or this side the other's.
    case authenticationFailed
    /// The handshake broke for another reason.
    case handshakeFailed
    case disconnected
}

/// The PAIR socket on which libzmq reports a socket's connections; it lives on the socket's own thread.
struct SocketMonitor: ~Copyable {
    let socket: Socket

    init(_ context: Context, of monitored: borrowing Socket) throws(ZeroMQError) {
        let endpoint = "inproc://monitor-\(UInt(bitPattern: monitored.pointer))"
        let events =
            ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL
            | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED
        guard zmq_socket_monitor(monitored.pointer, endpoint, events) == 0 else {
            throw ZeroMQError(call: "zmq_socket_monitor", subject: endpoint)
        }
        let pair = try Socket(context, ZMQ_PAIR)
        try pair.set(ZMQ_LINGER, CInt(0))
        try pair.connect(endpoint)
        socket = pair
    }

    /// The next event that waits; nil where none does.
    func receive() throws(ZeroMQError) -> MonitorEvent? {
        while let frames = try socket.receive() {
            // The first frame is a 16-bit event and a 32-bit value, in host order.
            let event = frames[0].withUnsafeBytes { $0.count >= 2 ? CInt($0.loadUnaligned(as: UInt16.self)) : 0 }
            switch event {
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .handshakeSucceeded
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return .authenticationFailed
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return .handshakeFailed
            case ZMQ_EVENT_DISCONNECTED: return .disconnected
            default: continue
            }
        }
        return nil
    }
}
