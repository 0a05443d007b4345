import Glibc

/// A UDP socket for IPv4.
package final class DatagramSocket: Sendable {
    /// Where a datagram came from, or goes to.
    package struct Peer: Sendable {
        fileprivate var address: sockaddr_in

        /// The address without its port: `192.168.1.33`.
        package var host: String {
            var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
            var bytes = address.sin_addr
            inet_ntop(AF_INET, &bytes, &text, socklen_t(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    private let descriptor: OwnedFileDescriptor

    /// Opens a socket on any port.
    package init() throws(SystemError) {
        let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw .last("socket", "UDP") }
        descriptor = OwnedFileDescriptor(owning: number)
    }

    /// Opens a socket that hears what is sent to a port.
    ///
    /// - Parameter host: an address of this machine, or `*` for all.
    package convenience init(host: String, port: Int) throws(SystemError) {
        try self.init()
        var address = try Self.resolve(host == "*" ? "0.0.0.0" : host, port: port).address
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw .last("bind", "UDP port \(port) of \(host)") }
    }

    /// Looks a name up; blocks until it is found, or not.
    package static func resolve(_ host: String, port: Int) throws(SystemError) -> Peer {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, "\(port)", &hints, &found)
        defer { freeaddrinfo(found) }
        guard result == 0, let address = found?.pointee.ai_addr else {
            // Its own codes have no errno.
            throw SystemError(call: "getaddrinfo", errno: result == EAI_SYSTEM ? errno : ENOENT, subject: host)
        }
        return Peer(address: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee })
    }

    /// Sends a datagram, which may be lost on its way as it may be here.
    package func send(_ bytes: [UInt8], to peer: Peer) {
        var address = peer.address
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor.rawValue, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0,
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Waits for a datagram.
    ///
    /// - Parameters:
    ///   - limit: a longer one is not for us.
    ///   - milliseconds: how long to wait; -1 for as long as it takes.
    /// - Returns: nil where none came that can be read.
    package func receive(upTo limit: Int, within milliseconds: Int32 = -1) -> (bytes: [UInt8], from: Peer)? {
        var item = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard poll(&item, 1, milliseconds) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor.rawValue, &bytes, bytes.count, Int32(MSG_DONTWAIT), $0, &length)
            }
        }
        guard (0...limit).contains(count) else { return nil }
        return (Array(bytes.prefix(count)), Peer(address: address))
    }
}
