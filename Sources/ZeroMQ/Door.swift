import Glibc
import Posix
import Synchronization

/// Whom the sockets of a process let in before they have shown a key, and whom they turn out; one for all that bind.
///
/// Whoever connects costs a descriptor until the handshake fails. While too many are open, each who comes takes the place
/// of a newcomer: of the address with the most of them, the one who has had longest to say something. So those who are
/// in, the photos and the catalogue go on, and whoever has a key gets in from any other address.
package final class Door: Sendable {
    private let mostDescriptors: CInt
    private let onRefusal: @Sendable () -> Void
    private struct State {
        var newcomers = Newcomers()
        /// Who is in, by the descriptors of their connections.
        var guests: [CInt: (guest: Guest, channel: ObjectIdentifier)] = [:]
    }

    private let state = Mutex(State())

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
        guard let network = SocketAddress.peer(of: descriptor)?.network else { return }
        let turnedAway = state.withLock { state -> [CInt] in
            state.guests[descriptor] = nil
            state.newcomers.add(descriptor, Newcomers.Arrival(time: time, network: network, channel: channel))
            // The kernel gives the lowest free number: all below it are open.
            let excess = Int(descriptor - mostDescriptors) - state.newcomers.leavingCount
            return excess > 0 ? state.newcomers.turnAway(excess, at: time) : []
        }
        guard !turnedAway.isEmpty else { return }
        end(turnedAway)
        onRefusal()
    }

    private func end(_ connections: [CInt]) {
        for descriptor in connections {
            // libzmq sees the end and closes it. Should it have done so already, and the number be another connection's,
            // then that one is made anew; with a file nothing happens.
            shutdown(descriptor, CInt(SHUT_RDWR))
        }
    }

    /// Ends the connections of those who are not welcome any more, in whatever they are.
    ///
    /// - Returns: who they were.
    @discardableResult
    package func turnOut(_ isUnwelcome: (Guest) -> Bool) -> Set<Guest> {
        let leaving = state.withLock { state in
            let leaving = state.guests.filter { isUnwelcome($0.value.guest) }
            for descriptor in leaving.keys { state.guests[descriptor] = nil }
            return leaving
        }
        end(Array(leaving.keys))
        return Set(leaving.values.map(\.guest))
    }

    /// Whoever is behind this descriptor has shown a key.
    func admitted(_ descriptor: CInt, as guest: Guest?, by channel: ObjectIdentifier) {
        state.withLock { state in
            state.newcomers.admit(descriptor, channel)
            state.guests[descriptor] = guest.map { ($0, channel) }
        }
    }

    /// This descriptor's connection has ended. Another channel may have heard already of one that has its number now.
    func closed(_ descriptor: CInt, by channel: ObjectIdentifier) {
        state.withLock { state in
            state.newcomers.close(descriptor, channel)
            if state.guests[descriptor]?.channel == channel { state.guests[descriptor] = nil }
        }
    }
}
