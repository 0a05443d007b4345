import CZeroMQ

/// The libzmq context of a program: its I/O threads and inproc names. One per program is enough.
///
/// It has two I/O threads, one of them for what must never wait behind a photo: ``SocketOptions/isUrgent``.
///
/// The pointer is thread-safe by libzmq's contract, so the class may be shared. It outlives its sockets: every channel
/// holds its context.
package final class Context: @unchecked Sendable {
    // Invariant: written once in init; zmq contexts may be used from any thread.
    let pointer: UnsafeMutableRawPointer

    package init() {
        guard let pointer = zmq_ctx_new() else {
            preconditionFailure("zmq_ctx_new: \(String(cString: zmq_strerror(zmq_errno())))")
        }
        zmq_ctx_set(pointer, ZMQ_IO_THREADS, 2)
        self.pointer = pointer
    }

    deinit {
        zmq_ctx_term(pointer)
    }
}
