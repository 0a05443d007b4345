import DequeModule
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
        private var arrivals: [CInt: Arrival] = [:]
        /// How many of them each address has.
        private var crowds: [UInt32: Int] = [:]
        /// The same connections, the oldest first, and some that are known or gone by now.
        private var lines: [UInt32: Deque<(descriptor: CInt, time: Int64)>] = [:]
        /// Those that were turned away, and are not closed yet.
        private var leaving: [CInt: ObjectIdentifier] = [:]

        var leavingCount: Int { leaving.count }

        mutating func add(_ descriptor: CInt, _ arrival: Arrival) {
            leaving[descriptor] = nil
            forget(descriptor)
            arrivals[descriptor] = arrival
            crowds[arrival.address, default: 0] += 1
            lines[arrival.address, default: []].append((descriptor, arrival.time))
        }

        private mutating func forget(_ descriptor: CInt) {
            guard let arrival = arrivals.removeValue(forKey: descriptor) else { return }
            let left = (crowds[arrival.address] ?? 1) - 1
            crowds[arrival.address] = left == 0 ? nil : left
            if left == 0 { lines[arrival.address] = nil }
        }

        mutating func admit(_ descriptor: CInt, _ channel: ObjectIdentifier) {
            if arrivals[descriptor]?.channel == channel { forget(descriptor) }
        }

        mutating func close(_ descriptor: CInt, _ channel: ObjectIdentifier) {
            admit(descriptor, channel)
            if leaving[descriptor] == channel { leaving[descriptor] = nil }
        }

        /// Takes out this many, or fewer: those who are not known yet are among the excess, and their turn comes.
        mutating func turnAway(_ count: Int, at time: Int64) -> [CInt] {
            var turnedAway: [CInt] = []
            while turnedAway.count < count,
                let (address, size) = crowds.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }), size > Door.usual,
                let next = lines[address]?.popFirst()
            {
                guard let arrival = arrivals[next.descriptor], arrival.time == next.time else { continue }
                forget(next.descriptor)
                // Whoever has stayed for so long has shown a key.
                guard time - arrival.time < Door.handshake else { continue }
                leaving[next.descriptor] = arrival.channel
                turnedAway.append(next.descriptor)
            }
            return turnedAway
        }
    }

    /// Newcomers of one address that are no crowd: a board with two cameras that was just switched on.
    private static let usual = 8
    /// Whoever is still connected after this has shown a key, in nanoseconds; see ``SocketOptions``. Nothing is ever heard
    /// from those who subscribe, so this is how long they count as newcomers.
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
        // One that has gone meanwhile is closed in a moment.
        guard let address = Self.address(of: descriptor) else { return }
        let turnedAway = newcomers.withLock { newcomers -> [CInt] in
            newcomers.add(descriptor, Newcomers.Arrival(time: time, address: address, channel: channel))
            // The kernel gives the lowest free number: all below it are open.
            let excess = Int(descriptor - mostDescriptors) - newcomers.leavingCount
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

    /// The other side's IPv4 address; nil where nobody is connected.
    private static func address(of descriptor: CInt) -> UInt32? {
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return result == 0 && Int32(peer.sin_family) == AF_INET ? peer.sin_addr.s_addr : nil
    }

    /// Whoever is behind this descriptor has shown a key.
    func admitted(_ descriptor: CInt, by channel: ObjectIdentifier) {
        newcomers.withLock { $0.admit(descriptor, channel) }
    }

    /// This descriptor's connection has ended. Another channel may have heard already of one that has its number now.
    func closed(_ descriptor: CInt, by channel: ObjectIdentifier) {
        newcomers.withLock { $0.close(descriptor, channel) }
    }
}
