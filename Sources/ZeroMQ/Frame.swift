import CZeroMQ
import Synchronization

/// One frame of a message: immutable bytes, shared and sent without copying.
package final class Frame: @unchecked Sendable {
    // Invariant: the bytes are written only before init returns. What libzmq modifies when a message is shared (its
    // reference count and flags) is modified under the lock.
    private let message: UnsafeMutablePointer<zmq_msg_t>
    private let lock = Mutex(())

    /// Takes ownership of a message that libzmq filled.
    init(adopting message: UnsafeMutablePointer<zmq_msg_t>) {
        self.message = message
    }

    /// A frame of up to `capacity` bytes that `fill` writes in place; `fill` returns how many it wrote.
    package convenience init<E>(
        capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        let message = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)
        let result = zmq_msg_init_size(message, capacity)
        precondition(result == 0, "zmq_msg_init_size(\(capacity)): out of memory")
        let count: Int
        do {
            count = try fill(UnsafeMutableRawBufferPointer(start: zmq_msg_data(message), count: capacity))
        } catch {
            zmq_msg_close(message)
            message.deallocate()
            throw error
        }
        if count == capacity {
            self.init(adopting: message)
        } else {
            self.init(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: count))
            zmq_msg_close(message)
            message.deallocate()
        }
    }

    /// A frame that holds a copy of the bytes.
    package convenience init(_ bytes: UnsafeRawBufferPointer) {
        self.init(capacity: bytes.count) { (buffer: UnsafeMutableRawBufferPointer) -> Int in
            buffer.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// A frame that holds a copy of the bytes.
    package convenience init(_ bytes: [UInt8]) {
        self.init(capacity: bytes.count) { (buffer: UnsafeMutableRawBufferPointer) -> Int in
            buffer.copyBytes(from: bytes)
            return bytes.count
        }
    }

    deinit {
        zmq_msg_close(message)
        message.deallocate()
    }

    /// The length in bytes.
    package var count: Int { zmq_msg_size(message) }

    /// Lends the bytes; the pointer must not leave the closure.
    package func withUnsafeBytes<Result, E>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> Result
    ) throws(E) -> Result {
        try body(UnsafeRawBufferPointer(start: zmq_msg_data(message), count: zmq_msg_size(message)))
    }

    /// A copy of the bytes.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The user that the ZAP handler named when the sender's connection was admitted.
    package var userID: String? { property("User-Id") }

    /// Who sent it, and with which key; nil where nothing is encrypted.
    package var guest: Guest? { admission.flatMap { Guest($0) } }

    /// As what the ZAP handler admitted the sender's connection, in the form of ``Guest/text``.
    var admission: String? { property(Guest.property) }

    private func property(_ name: String) -> String? {
        lock.withLock { _ in zmq_msg_gets(message, name).map { String(cString: $0) } }
    }

    /// The descriptor of the connection that it came over; nil for one that did not come over TCP.
    var descriptor: CInt? {
        lock.withLock { _ in
            let descriptor = zmq_msg_get(message, ZMQ_SRCFD)
            return descriptor < 0 ? nil : descriptor
        }
    }

    /// Sends this frame as one part of a message; the bytes are shared with libzmq, not copied.
    ///
    /// - Returns: 0, or the errno with which libzmq refused.
    func send(on socket: UnsafeMutableRawPointer, flags: CInt) -> CInt {
        var shared = zmq_msg_t()
        zmq_msg_init(&shared)
        lock.withLock { _ in _ = zmq_msg_copy(&shared, message) }
        guard zmq_msg_send(&shared, socket, flags) < 0 else { return 0 }
        let reason = zmq_errno()
        zmq_msg_close(&shared)
        return reason
    }
}
