import Foundation
import Glibc
import Synchronization

/// A TCP relay between nodes and their coordinator that delays, stalls, resets and replays.
package final class FaultyProxy: Sendable {
    /// Where nodes find it: another address of this machine, with the coordinator's own ports.
    package static let host = "127.0.0.2"
    private static let target = "127.0.0.1"

    private struct State {
        var isStalled = false
        var delay: UInt32 = 0
        /// How many more connections are broken as soon as the client has spoken.
        var brokenCount = 0
        var isClosed = false
        var listeners: [CInt] = []
        /// Both ends of each connection.
        var connections: [Int: (CInt, CInt)] = [:]
        var count = 0
        /// What clients sent, by connection, with the port.
        var recorded: [Int: (port: Int, bytes: [UInt8])] = [:]
    }

    private let state = Mutex(State())

    /// Relays these ports.
    package init(ports: [Int]) throws {
        for port in ports {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var yes: CInt = 1
            setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
            let result = Self.with(Self.host, port) { bind(listener, $0, $1) }
            guard result == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
            state.withLock { $0.listeners.append(listener) }
            Thread.detachNewThread { self.accept(listener, port) }
        }
    }

    // MARK: Faults

    /// Nothing passes, and nobody is told.
    package func stall(_ isStalled: Bool) { state.withLock { $0.isStalled = isStalled } }

    /// What passes takes longer by so much, in milliseconds.
    package func delay(_ milliseconds: UInt32) { state.withLock { $0.delay = milliseconds * 1000 } }

    /// Breaks every connection.
    package func reset() {
        state.withLock { state in
            for (one, other) in state.connections.values {
                for end in [one, other] {
                    Self.breakOnClose(end)
                    shutdown(end, CInt(SHUT_RDWR))
                }
            }
        }
    }

    /// Breaks each of the next connections as soon as the client has spoken.
    package func breakNext(_ count: Int) { state.withLock { $0.brokenCount = count } }

    /// Sends everything that clients ever sent again, each connection on a new one.
    ///
    /// - Returns: of how many connections.
    package func replay() -> Int {
        let recorded = state.withLock { $0.recorded.values.filter { !$0.bytes.isEmpty } }
        for (port, bytes) in recorded {
            let connection = Self.connect(port)
            _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            usleep(20_000)
            Glibc.close(connection)
        }
        return recorded.count
    }

    package func close() {
        reset()
        state.withLock { state in
            state.isClosed = true
            for listener in state.listeners { shutdown(listener, CInt(SHUT_RDWR)) }
        }
    }

    /// The end of a connection is sent as a reset.
    private static func breakOnClose(_ connection: CInt) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    // MARK: Relaying

    private func accept(_ listener: CInt, _ port: Int) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let isBroken = state.withLock { state in
                state.brokenCount -= 1
                return state.brokenCount >= 0
            }
            if isBroken {
                var byte: UInt8 = 0
                recv(client, &byte, 1, 0)
                Self.breakOnClose(client)
                Glibc.close(client)
                continue
            }
            let server = Self.connect(port)
            let number = state.withLock { state in
                state.count += 1
                state.connections[state.count] = (client, server)
                state.recorded[state.count] = (port, [])
                return state.count
            }
            let ends = Ends()
            Thread.detachNewThread { self.pump(client, to: server, number, records: true, ends) }
            Thread.detachNewThread { self.pump(server, to: client, number, records: false, ends) }
        }
        Glibc.close(listener)
    }

    /// Counts the two directions of a connection that have ended.
    private final class Ends: Sendable {
        let count = Atomic(0)
    }

    private func pump(_ source: CInt, to target: CInt, _ number: Int, records: Bool, _ ends: Ends) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            while state.withLock({ $0.isStalled && !$0.isClosed }) { usleep(5000) }
            let delay = state.withLock { state in
                if records, state.recorded[number]?.bytes.count ?? 0 < 1 << 20 {
                    state.recorded[number]?.bytes += buffer[..<count]
                }
                return state.delay
            }
            if delay > 0 { usleep(delay) }
            var sent = 0
            while sent < count {
                let result = buffer.withUnsafeBytes {
                    send(target, $0.baseAddress! + sent, count - sent, CInt(MSG_NOSIGNAL))
                }
                guard result > 0 else { break }
                sent += result
            }
            if sent < count { break }
        }
        shutdown(source, CInt(SHUT_RDWR))
        shutdown(target, CInt(SHUT_RDWR))
        // The second of the two closes: a number must not be another file's while one still uses it.
        guard ends.count.add(1, ordering: .sequentiallyConsistent).newValue == 2 else { return }
        state.withLock { _ = $0.connections.removeValue(forKey: number) }
        Glibc.close(source)
        Glibc.close(target)
    }

    private static func connect(_ port: Int) -> CInt {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = with(target, port) { Glibc.connect(connection, $0, $1) }
        return connection
    }

    private static func with(_ host: String, _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt
    {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
