import Glibc

/// An IP address of either family, with a port.
package struct SocketAddress: Sendable {
    private var storage: sockaddr_storage
    private var length: socklen_t

    /// Has the kernel write one down.
    ///
    /// - Parameter write: returns what the system call did; nil is what becomes of a negative result.
    init?(_ write: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { write($0, &length) }
        }
        guard result >= 0 else { return nil }
        (self.storage, self.length) = (storage, length)
    }

    private init(_ found: addrinfo) {
        storage = sockaddr_storage()
        length = found.ai_addrlen
        withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: found.ai_addr, count: Int(found.ai_addrlen)))
        }
    }

    /// The other side of a connection; nil where nobody is connected, or not over IP.
    package static func peer(of descriptor: CInt) -> SocketAddress? {
        let peer = SocketAddress { Int(getpeername(descriptor, $0, &$1)) }
        return peer.flatMap { $0.isIPv6 || $0.family == AF_INET ? $0 : nil }
    }

    /// Looks a name up; blocks until it is found, or not.
    ///
    /// A name that has addresses of both families stands for its IPv4 address, whichever the resolver prefers: a
    /// connection is tried to one of them, and all parts of a rig have to choose alike.
    ///
    /// - Parameter host: a name, or an address; one of IPv6 may stand in brackets.
    package static func resolve(_ host: String, port: Int) throws(SystemError) -> SocketAddress {
        try resolve(host, port: port, flags: 0)
    }

    /// Reads an address; nil for a name.
    package init?(numeric host: String) {
        guard let address = try? Self.resolve(host, port: 0, flags: AI_NUMERICHOST) else { return nil }
        self = address
    }

    private static func resolve(_ host: String, port: Int, flags: CInt) throws(SystemError) -> SocketAddress {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host.filter { $0 != "[" && $0 != "]" }, "\(port)", &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { $0?.pointee }
        guard result == 0, let first = found.first(where: { $0.ai_family == AF_INET }) ?? found.first else {
            // Its own codes have no errno.
            throw SystemError(
                call: "getaddrinfo", errno: result == EAI_SYSTEM ? errno : result == EAI_AGAIN ? EAGAIN : ENOENT,
                subject: host)
        }
        return SocketAddress(first)
    }

    /// What a socket binds to that is to listen at a name, as it stands before a port: libzmq takes no names but those of
    /// interfaces. Blocks while a name is looked up; anything else is returned unchanged.
    package static func bindable(_ host: String) -> String {
        guard host != "*", if_nametoindex(host) == 0, SocketAddress(numeric: host) == nil,
            let found = try? resolve(host, port: 0)
        else { return host }
        return found.isIPv6 ? "[\(found.host)]" : found.host
    }

    /// Whether a name or an address can be reached over IPv6 alone; blocks where it has to look a name up.
    package static func isIPv6(_ host: String) -> Bool { (try? resolve(host, port: 0))?.isIPv6 ?? false }

    /// Whether those who know names say that there is none of this; blocks while they are asked.
    package static func isUnknown(_ host: String) -> Bool {
        do {
            _ = try resolve(host, port: 0)
            return false
        } catch { return error.errno == ENOENT }
    }

    var family: Int32 { Int32(storage.ss_family) }

    var isIPv6: Bool { family == AF_INET6 }

    /// The same for a socket of IPv6 that speaks IPv4, too: `::ffff:192.168.1.33`; RFC 4291, 2.5.5.2.
    var mapped: SocketAddress {
        guard family == AF_INET else { return self }
        let ipv4 = withUnsafeBytes(of: storage) { $0.load(as: sockaddr_in.self) }
        var ipv6 = sockaddr_in6()
        ipv6.sin6_family = sa_family_t(AF_INET6)
        ipv6.sin6_port = ipv4.sin_port
        withUnsafeMutableBytes(of: &ipv6.sin6_addr) { bytes in
            bytes.storeBytes(of: 0xFFFF, toByteOffset: 10, as: UInt16.self)
            bytes.storeBytes(of: ipv4.sin_addr.s_addr, toByteOffset: 12, as: UInt32.self)
        }
        var address = self
        address.length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address.storage) { $0.storeBytes(of: ipv6, as: sockaddr_in6.self) }
        return address
    }

    /// The address in bytes of network order: 4, also where an IPv6 socket heard of it, or 16.
    private var bytes: [UInt8] {
        withUnsafeBytes(of: storage) { storage in
            guard isIPv6 else {
                return withUnsafeBytes(of: storage.load(as: sockaddr_in.self).sin_addr) { Array($0) }
            }
            let bytes = withUnsafeBytes(of: storage.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11].allSatisfy { $0 == 0xFF }
            return isMapped ? Array(bytes.suffix(4)) : bytes
        }
    }

    /// The address without its port: `192.168.1.33`, `fd00:31::1`, `fe80::1%eth0`.
    package var host: String {
        let bytes = bytes
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return withPointer { pointer, length in
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            getnameinfo(pointer, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    /// What a crowd is counted by: an IPv4 address, or the /64 of an IPv6 address, of which one machine can have as many as
    /// it likes. All machines of a LAN share that.
    package var network: UInt64 { Self.number(bytes.prefix(8)) }

    /// What one network has: the /24 of an IPv4 address, or the /64 of an IPv6 address.
    package var neighbourhood: UInt64 { Self.number(bytes.count == 4 ? bytes.prefix(3) : bytes.prefix(8)) }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
