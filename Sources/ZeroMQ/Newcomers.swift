import DequeModule

/// Connections of which nothing has been heard yet, and which of them make room for others; pure.
///
/// Of the network with the most of them, the one who has had longest to say something goes first.
struct Newcomers: Sendable {
    /// Newcomers of one network that are no crowd: over IPv4, a board with two cameras that was just switched on.
    private static let usual = 8
    /// Whoever is still connected after this has shown a key, in nanoseconds; see ``SocketOptions``.
    private static let handshake: Int64 = 3_500_000_000

    struct Arrival: Sendable {
        let time: Int64
        /// See ``SocketAddress/network``.
        let network: UInt64
        let channel: ObjectIdentifier
    }

    /// The connections of which nothing was heard yet, by their descriptors.
    private var arrivals: [CInt: Arrival] = [:]
    /// How many of them each network has.
    private var crowds: [UInt64: Int] = [:]
    /// The same connections, the oldest first, and some that are known or gone by now.
    private var lines: [UInt64: Deque<(descriptor: CInt, time: Int64)>] = [:]
    /// Those that were turned away, and are not closed yet.
    private var leaving: [CInt: ObjectIdentifier] = [:]

    var leavingCount: Int { leaving.count }

    mutating func add(_ descriptor: CInt, _ arrival: Arrival) {
        leaving[descriptor] = nil
        forget(descriptor)
        arrivals[descriptor] = arrival
        crowds[arrival.network, default: 0] += 1
        lines[arrival.network, default: []].append((descriptor, arrival.time))
        // One who stays without a word would keep those that came and went after him.
        if let line = lines[arrival.network], line.count > 2 * (crowds[arrival.network] ?? 0) + 16 {
            lines[arrival.network] = line.filter { arrivals[$0.descriptor]?.time == $0.time }
        }
    }

    private mutating func forget(_ descriptor: CInt) {
        guard let arrival = arrivals.removeValue(forKey: descriptor) else { return }
        let left = (crowds[arrival.network] ?? 1) - 1
        crowds[arrival.network] = left == 0 ? nil : left
        if left == 0 { lines[arrival.network] = nil }
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
            let (network, size) = crowds.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }), size > Self.usual,
            let next = lines[network]?.popFirst()
        {
            guard let arrival = arrivals[next.descriptor], arrival.time == next.time else { continue }
            forget(next.descriptor)
            // Whoever has stayed for so long has shown a key.
            guard time - arrival.time < Self.handshake else { continue }
            leaving[next.descriptor] = arrival.channel
            turnedAway.append(next.descriptor)
        }
        return turnedAway
    }
}
