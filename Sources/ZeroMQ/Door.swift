import Glibc
import Synchronization

/// Whom the sockets of a process let in before they have shown a key; one for all that bind.
///
/// Whoever connects costs a descriptor until the handshake fails. While too many are open, each who comes takes the place
/// of a newcomer: of the address with the most of them, the one who has had longest to say something. So those who are
/// in, the photos and the catalogue go on, and whoever has a key gets in from any other address.
package final class Door: Sendable {
    private struct Newcomers {
        struct Arrival {
            let time: Int64
            let address: UInt32
            let channel: ObjectIdentifier
        }

        /// The connections of which nothing was heard yet, by their descriptors.
        var arrivals: [CInt: Arrival] = [:]
        /// Those that were turned away, and are not closed yet.
        var leaving: [CInt: ObjectIdentifier] = [:]

        /// Takes out this many, or fewer: those who are not known yet are among the excess, and their turn comes.
        mutating func turnAway(_ count: Int, at time: Int64) -> [CInt] {
            arrivals = arrivals.filter { time - $0.value.time < Door.handshake }
            var crowds = arrivals.values.reduce(into: [:]) { $0[$1.address, default: 0] += 1 }
            var turnedAway: [CInt] = []
            while turnedAway.count < count,
                let (address, size) = crowds.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }), size > Door.usual,
                let oldest = arrivals.lazy.filter({ $0.value.address == address }).min(by: {
                    $0.value.time < $1.value.time
                })
            {
                arrivals[oldest.key] = nil
                leaving[oldest.key] = oldest.value.channel
                crowds[address] = size - 1
                turnedAway.append(oldest.key)
            }
            return turnedAway
        }
    }

    /// Newcomers of one address that are no crowd: a board with two cameras that was just switched on.
    private static let usual = 8
    /// Whoever is still connected after this has shown a key, in nanoseconds; see ``SocketOptions``.
    private static let handshake: Int64 = 3_500_000_000

    private let mostDescriptors: CInt
    private let onRefusal: @Sendable () -> Void
    private let newcomers = Mutex(Newcomers())

    /// - Parameters:
    ///   - mostDescriptors: of the process, before anybody has to go; what its limit has beyond them is for files.
    ///   - onRefusal: called when connections are turned away, on a thread that must not wait.
    package init(mostDescriptors: CInt, onRefusal: @escaping @Sendable () -> Void) {
        self.mostDescriptors = mostDescriptors
        self.onRefusal = onRefusal
    }

    /// libzmq has accepted a connection.
    ///
    /// - Parameter time: in nanoseconds of a clock that only rises.
    func accepted(_ descriptor: CInt, by channel: ObjectIdentifier, at time: Int64) {
        let address = Self.address(of: descriptor)
        let turnedAway = newcomers.withLock { newcomers -> [CInt] in
            newcomers.leaving[descriptor] = nil
            newcomers.arrivals[descriptor] = Newcomers.Arrival(time: time, address: address, channel: channel)
            // The kernel gives the lowest free number: all below it are open.
            let excess = Int(descriptor - mostDescriptors) - newcomers.leaving.count
            return excess > 0 ? newcomers.turnAway(excess, at: time) : []
        }
        guard !turnedAway.isEmpty else { return }
        for descriptor in turnedAway {
            // libzmq sees the end and closes it. Should it have done so already, and the number be another connection's,
            // then that one is made anew; with a file nothing happens.
            shutdown(descriptor, CInt(SHUT_RDWR))
        }
        onRefusal()
    }

    /// The other side's IPv4 address; 0 where there is none.
    private static func address(of descriptor: CInt) -> UInt32 {
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return result == 0 && Int32(peer.sin_family) == AF_INET ? peer.sin_addr.s_addr : 0
    }

    /// Whoever is behind this descriptor has shown a key.
    func admitted(_ descriptor: CInt) {
        newcomers.withLock { $0.arrivals[descriptor] = nil }
    }

    /// This descriptor's connection has ended. Another channel may have heard already of one that has its number now.
    func closed(_ descriptor: CInt, by channel: ObjectIdentifier) {
        newcomers.withLock { newcomers in
            if newcomers.arrivals[descriptor]?.channel == channel { newcomers.arrivals[descriptor] = nil }
            if newcomers.leaving[descriptor] == channel { newcomers.leaving[descriptor] = nil }
        }
    }
}
