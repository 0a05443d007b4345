import Glibc

/// Whether somebody listens.
package enum TCPProbe {
    /// Connects, and hangs up; blocks for as long as looking the name up takes, and then for at most `milliseconds`.
    ///
    /// - Returns: why it could not connect; nil if it could.
    package static func connect(_ host: String, port: Int, milliseconds: Int32 = 2000) -> SystemError? {
        let subject = "\(host):\(port)"
        let address: SocketAddress
        do { address = try SocketAddress.resolve(host, port: port) } catch { return error }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(address.family, kind, 0)
        guard number >= 0 else { return .last("socket", subject) }
        let descriptor = OwnedFileDescriptor(owning: number)
        if address.withPointer({ Glibc.connect(descriptor.rawValue, $0, $1) }) == 0 { return nil }
        guard errno == EINPROGRESS else { return .last("connect", subject) }
        var item = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
        guard poll(&item, 1, milliseconds) > 0 else {
            return SystemError(call: "connect", errno: ETIMEDOUT, subject: subject)
        }
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor.rawValue, SOL_SOCKET, SO_ERROR, &code, &length)
        return code == 0 ? nil : SystemError(call: "connect", errno: code, subject: subject)
    }
}
