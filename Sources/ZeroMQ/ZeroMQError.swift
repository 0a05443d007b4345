import CZeroMQ

/// A call that libzmq refused.
package struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name: `zmq_bind`, `zmq_setsockopt`.
    package let call: String
    /// The errno that libzmq set, one of its own included.
    package let errno: Int32
    /// What it was called on: an endpoint, an option.
    package let subject: String

    package init(call: String, errno: Int32 = zmq_errno(), subject: String) {
        self.call = call
        self.errno = errno
        self.subject = subject
    }

    package var description: String {
        "\(subject): \(call): \(String(cString: zmq_strerror(errno)))"
            + (errno == EADDRINUSE ? "; another program is listening there: stop it, or choose another port" : "")
    }
}
