import CZeroMQ
import Glibc
import Posix
import ZeroMQ

/// What the wire itself can do: as many bytes in messages of 1 MiB that nobody looks at.
enum StreamBound {
    private static let messageSize = 1 << 20

    // MARK: CURVE

    /// - Returns: bytes a second from this many senders to one receiver, encrypted.
    static func curve(_ byteCount: Int, senders count: Int) -> Double {
        let keys = CurveKeyPair.generate()
        let context = zmq_ctx_new()
        let receiver = socket(context, ZMQ_PULL)
        var isServer: CInt = 1
        zmq_setsockopt(receiver, ZMQ_CURVE_SERVER, &isServer, MemoryLayout<CInt>.size)
        zmq_setsockopt(receiver, ZMQ_CURVE_SECRETKEY, keys.secretKey, 41)
        precondition(zmq_bind(receiver, "tcp://127.0.0.1:*") == 0)
        var name = [CChar](repeating: 0, count: 64)
        var length = name.count
        zmq_getsockopt(receiver, ZMQ_LAST_ENDPOINT, &name, &length)
        let endpoint = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let messages = byteCount / messageSize
        let threads = (0..<count).map { index in
            let share = messages / count + (index < messages % count ? 1 : 0)
            return OSThread(name: "sender") { send(share, to: endpoint, keys.publicKey) }
        }
        var buffer = [UInt8](repeating: 0, count: messageSize)
        // The stream is under way.
        for _ in 0..<count { zmq_recv(receiver, &buffer, messageSize, 0) }
        let start = Clocks.monotonicNanoseconds()
        for _ in 0..<messages { precondition(zmq_recv(receiver, &buffer, messageSize, 0) == messageSize) }
        let seconds = Double(Clocks.monotonicNanoseconds() - start) / 1e9
        threads.forEach { $0.join() }
        zmq_close(receiver)
        zmq_ctx_term(context)
        return Double(messages * messageSize) / seconds
    }

    private static func send(_ count: Int, to endpoint: String, _ server: CurvePublicKey) {
        let keys = CurveKeyPair.generate()
        let context = zmq_ctx_new()
        let sender = socket(context, ZMQ_PUSH)
        zmq_setsockopt(sender, ZMQ_CURVE_SERVERKEY, server.text, 41)
        zmq_setsockopt(sender, ZMQ_CURVE_PUBLICKEY, keys.publicKey.text, 41)
        zmq_setsockopt(sender, ZMQ_CURVE_SECRETKEY, keys.secretKey, 41)
        precondition(zmq_connect(sender, endpoint) == 0)
        let message = [UInt8](repeating: 7, count: messageSize)
        for _ in 0...count { precondition(zmq_send(sender, message, messageSize, 0) == messageSize) }
        zmq_close(sender)
        zmq_ctx_term(context)
    }

    private static func socket(_ context: UnsafeMutableRawPointer?, _ type: CInt) -> UnsafeMutableRawPointer? {
        let socket = zmq_socket(context, type)
        var waiting: CInt = 4
        zmq_setsockopt(socket, ZMQ_SNDHWM, &waiting, MemoryLayout<CInt>.size)
        zmq_setsockopt(socket, ZMQ_RCVHWM, &waiting, MemoryLayout<CInt>.size)
        return socket
    }

    // MARK: TCP

    /// - Returns: bytes a second over one connection in the clear.
    static func tcp(_ byteCount: Int) -> Double {
        let listener = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                precondition(bind(listener, place, length) == 0 && listen(listener, 1) == 0)
                getsockname(listener, place, &length)
            }
        }
        let place = address
        let sender = OSThread(name: "sender") {
            let connection = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var place = place
            withUnsafePointer(to: &place) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    precondition(connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0)
                }
            }
            let message = [UInt8](repeating: 7, count: messageSize)
            var left = byteCount
            while left > 0 { left -= write(connection, message, min(left, messageSize)) }
            close(connection)
        }
        let connection = accept(listener, nil, nil)
        var buffer = [UInt8](repeating: 0, count: messageSize)
        let start = Clocks.monotonicNanoseconds()
        while read(connection, &buffer, messageSize) > 0 {}
        let seconds = Double(Clocks.monotonicNanoseconds() - start) / 1e9
        sender.join()
        close(connection)
        close(listener)
        return Double(byteCount) / seconds
    }
}
