import CZeroMQ
import Glibc

/// What libzmq reports about a connection.
package enum MonitorEvent: Sendable, Hashable {
    /// Connected, handshake done, both sides admitted.
    case handshakeSucceeded
    /// The other side refused this side's key, or this side the other's.
    case authenticationFailed
    /// The other side broke off the handshake because it cannot read it, as when it has another key than expected.
    case handshakeFailed
    /// The connection is gone.
    case disconnected
}

/// What a socket's monitor says.
enum MonitorReport {
    /// Somebody connected, whose connection is this descriptor's.
    case accepted(CInt)
    /// A connection ended, which was this descriptor's.
    case closed(CInt)
    case event(MonitorEvent)
}

/// The PAIR socket on which libzmq reports a socket's connections; it lives on the socket's own thread.
struct SocketMonitor: ~Copyable {
    let socket: Socket

    init(_ context: Context, of monitored: borrowing Socket) throws(ZeroMQError) {
        let endpoint = "inproc://monitor-\(UInt(bitPattern: monitored.pointer))"
        let events =
            ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_DISCONNECTED
        guard zmq_socket_monitor(monitored.pointer, endpoint, events) == 0 else {
            throw ZeroMQError(call: "zmq_socket_monitor", subject: endpoint)
        }
        let pair = try Socket(context, ZMQ_PAIR)
        try pair.set(ZMQ_LINGER, CInt(0))
        try pair.connect(endpoint)
        socket = pair
    }

    /// Ends the reports, before either socket is closed.
    ///
    /// What libzmq has to report when nobody is there to take it, it waits to send for ever, on the thread that serves every
    /// other socket as well.
    func stop(_ monitored: borrowing Socket) {
        // It may be waiting for room.
        while (try? receive()).flatMap({ $0 }) != nil {}
        zmq_socket_monitor(monitored.pointer, nil, 0)
    }

    /// The next report that waits; nil where none does.
    func receive() throws(ZeroMQError) -> MonitorReport? {
        while let frames = try socket.receive() {
            // The first frame is a 16-bit event and a 32-bit value, in host order.
            let (event, value) = frames[0].withUnsafeBytes { bytes in
                guard bytes.count >= 6 else { return (CInt(0), CInt(0)) }
                return (
                    CInt(bytes.loadUnaligned(as: UInt16.self)), bytes.loadUnaligned(fromByteOffset: 2, as: CInt.self)
                )
            }
            switch event {
            case ZMQ_EVENT_ACCEPTED: return .accepted(value)
            case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return .event(.handshakeSucceeded)
            case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return .event(.authenticationFailed)
            case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: return .event(.handshakeFailed)
            // Closed by the other side. Any other errno means that the handshake took too long: a program that hangs.
            case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL where [EPIPE, ECONNRESET].contains(value):
                return .event(.handshakeFailed)
            case ZMQ_EVENT_DISCONNECTED: return .closed(value)
            default: continue
            }
        }
        return nil
    }
}
