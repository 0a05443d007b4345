import Glibc

/// A UDP socket, for both families where the kernel has IPv6.
package final class DatagramSocket: Sendable {
    private let descriptor: OwnedFileDescriptor
    private let isIPv6: Bool

    /// Opens a socket on any port.
    package convenience init() throws(SystemError) { try self.init(isIPv6: true) }

    private init(isIPv6 wanted: Bool) throws(SystemError) {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        var number = wanted ? socket(AF_INET6, kind, 0) : -1
        isIPv6 = number >= 0
        if number < 0 { number = socket(AF_INET, kind, 0) }
        guard number >= 0 else { throw .last("socket", "UDP") }
        descriptor = OwnedFileDescriptor(owning: number)
        guard isIPv6 else { return }
        var off: CInt = 0
        setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, socklen_t(MemoryLayout<CInt>.size))
    }

    /// Opens a socket that hears what is sent to a port.
    ///
    /// - Parameter host: an address of this machine, or `*` for all.
    package convenience init(host: String, port: Int) throws(SystemError) {
        try self.init(isIPv6: host == "*" ? true : SocketAddress.resolve(host, port: port).isIPv6)
        let address = try SocketAddress.resolve(host == "*" ? (isIPv6 ? "::" : "0.0.0.0") : host, port: port)
        guard address.withPointer({ bind(descriptor.rawValue, $0, $1) }) == 0 else {
            throw .last("bind", "UDP port \(port) of \(host)")
        }
    }

    /// Sends a datagram, which may be lost on its way as it may be here.
    package func send(_ bytes: [UInt8], to peer: SocketAddress) {
        _ = (isIPv6 ? peer.mapped : peer).withPointer {
            sendto(descriptor.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
    }

    /// Waits for a datagram.
    ///
    /// - Parameters:
    ///   - limit: a longer one is not for us.
    ///   - milliseconds: how long to wait; -1 for as long as it takes.
    /// - Returns: nil where none came that can be read.
    package func receive(upTo limit: Int, within milliseconds: Int32 = -1) -> (bytes: [UInt8], from: SocketAddress)? {
        var item = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = -1
        let sender = SocketAddress { pointer, length in
            count = recvfrom(descriptor.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT), pointer, &length)
            return count
        }
        guard let sender, count <= limit else { return nil }
        return (Array(bytes.prefix(count)), sender)
    }
}
