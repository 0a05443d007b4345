import CZeroMQ
import Posix

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
        startThreads()
    }

    /// Has libzmq start its threads, which it does with the first socket, from one whose short turns they inherit.
    private func startThreads() {
        nonisolated(unsafe) let pointer = pointer
        OSThread(name: "zmq-start") {
            ShortTurns.begin(areInherited: true)
            // One that cannot be opened now is reported by whoever needs one.
            if let socket = zmq_socket(pointer, ZMQ_PAIR) { zmq_close(socket) }
        }.join()
    }

    deinit {
        zmq_ctx_term(pointer)
    }
}
