import Glibc

/// A UDP socket on loopback that carries numbers.
final class UDPSocket: Sendable {
    private let descriptor: CInt
    let port: UInt16

    init() {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(descriptor, $0, length) == 0, "bind")
                precondition(getsockname(descriptor, $0, &length) == 0, "getsockname")
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    func connect(to port: UInt16) {
        var address = Self.address(port: port)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0, "connect")
            }
        }
    }

    func send(_ numbers: [Int64]) {
        _ = numbers.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
    }

    func receive() -> [Int64]? {
        var numbers = [Int64](repeating: 0, count: 2)
        let count = numbers.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(numbers.prefix(count / 8)) : nil
    }
}
