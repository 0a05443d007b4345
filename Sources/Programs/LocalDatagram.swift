import Glibc

/// Datagrams to a service on this machine, such as those of systemd.
enum LocalDatagram {
    /// - Parameters:
    ///   - path: the service's socket; a leading `@` stands for the abstract namespace.
    ///   - waits: whether to wait while the service is behind.
    /// - Returns: whether it was taken.
    @discardableResult
    static func send(_ bytes: [UInt8], to path: String, waits: Bool = true) -> Bool {
        guard path.utf8.count < 108 else { return false }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        if name.first == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, flags, $0, length) == bytes.count
            }
        }
    }
}
