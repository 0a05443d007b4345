import CZeroMQ

/// How a socket is set up; every limit is finite, none is libzmq's "unlimited".
package struct SocketOptions: Sendable {
    /// Messages that wait to be sent to one peer. C: `ZMQ_SNDHWM`.
    package var sendHighWaterMark: CInt = 1000
    /// Messages that wait to be received from one peer. C: `ZMQ_RCVHWM`.
    package var receiveHighWaterMark: CInt = 1000
    /// A peer that sends a larger frame is disconnected. In bytes. C: `ZMQ_MAXMSGSIZE`.
    package var maximumMessageSize: Int64 = 1 << 20
    /// Messages that may wait on either side of a channel before a sender is refused, a peer is held back, or the
    /// peer's messages are dropped.
    package var queueLimit = 4096
    /// Bytes from one user that may wait to be read; a ROUTER drops any message beyond that.
    package var mostWaiting = 8 << 20
    /// How long a closing socket tries to send what is queued. In milliseconds. C: `ZMQ_LINGER`.
    package var linger: CInt = 500
    /// Whether to drop what is sent while nobody is connected, as it would be stale on arrival.
    package var dropsWhileDisconnected = false
    /// Whether it is served by the I/O thread that sockets in no hurry do not use. C: `ZMQ_AFFINITY`.
    package var isUrgent = false
    /// Whether it carries photos, for which nobody waits: its channel's thread leaves the processor to those of others.
    package var isBulk = false
    /// Whom a side that binds lets in at all; nil for everybody.
    package var door: Door?
    /// Whether a side that connects does so over IPv6. C: `ZMQ_IPV6`.
    package var usesIPv6 = false
    /// The security of the connection; nil only for inproc.
    package var security: Security?

    /// How long a peer's kernel may be silent, though it has to answer, before the connection is given up. In
    /// milliseconds. C: `ZMQ_TCP_MAXRT`.
    private static let longestSilence: CInt = 5000

    package init() {}

    func apply(to socket: borrowing Socket, type: SocketType) throws(ZeroMQError) {
        // One bit for each I/O thread of the context.
        try socket.set(ZMQ_AFFINITY, isUrgent ? Int64(1) : 2)
        try socket.set(ZMQ_SNDHWM, sendHighWaterMark)
        try socket.set(ZMQ_RCVHWM, receiveHighWaterMark)
        try socket.set(ZMQ_MAXMSGSIZE, maximumMessageSize)
        try socket.set(ZMQ_LINGER, linger)
        try socket.set(ZMQ_RECONNECT_IVL, CInt(100))
        try socket.set(ZMQ_RECONNECT_IVL_MAX, CInt(2_000))
        // The kernel notices a peer that is gone, and no ZMTP heartbeat does: where the input stands at its high-water mark
        // and the peer leaves, a ping that is due or that was received kills the process with an assertion
        // (zeromq/libzmq 3937, 4364, 4841). A peer that hangs is noticed by those who wait for its word.
        try socket.set(ZMQ_TCP_KEEPALIVE, CInt(1))
        try socket.set(ZMQ_TCP_KEEPALIVE_IDLE, CInt(1))
        try socket.set(ZMQ_TCP_KEEPALIVE_INTVL, CInt(1))
        try socket.set(ZMQ_TCP_MAXRT, Self.longestSilence)
        switch type {
        case .dealer, .subscribe:
            try socket.set(ZMQ_CONNECT_TIMEOUT, Self.longestSilence)
            try socket.set(ZMQ_HANDSHAKE_IVL, CInt(10_000))
        case .router, .publish, .reply:
            // A stranger without a key holds a descriptor for this long.
            try socket.set(ZMQ_HANDSHAKE_IVL, CInt(3_000))
        }
        switch type {
        case .router:
            // Without this a ROUTER silently drops what it cannot deliver.
            try socket.set(ZMQ_ROUTER_MANDATORY, CInt(1))
        case .dealer:
            // Nothing queues for a coordinator that is not there; it would be stale on arrival.
            try socket.set(ZMQ_IMMEDIATE, CInt(1))
        case .subscribe:
            try socket.set(ZMQ_SUBSCRIBE, [])
        case .publish:
            // It hears of each who subscribes, not only of the first.
            try socket.set(ZMQ_XPUB_VERBOSE, CInt(1))
        case .reply:
            break
        }
        if usesIPv6 { try socket.set(ZMQ_IPV6, CInt(1)) }
        try security?.apply(to: socket)
    }
}
