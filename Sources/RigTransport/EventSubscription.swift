package import RigProtocol
import ZeroMQ

/// News from a coordinator, one at a time.
package final class EventSubscription: Sendable {
    /// What can come.
    package enum News: Sendable {
        case notice(Item)
        /// Notices come from about here on; the number that each one names as its predecessor shows those that do not.
        case connected
        /// Everything is missed until it is connected again.
        case disconnected
        /// The key was refused; nothing will come.
        case refused
    }

    /// One notice.
    package struct Item: Sendable {
        /// Its type, which says what to decode it as, and its sequence.
        package let header: Header
        /// The first frame as it came.
        package let json: [UInt8]

        /// Reads its body.
        package func decode<Body: WireReadable>(_ type: Body.Type) throws -> Body {
            try json.withUnsafeBytes { try Codec.decode(type, from: $0) }
        }
    }

    private let channel: SocketChannel

    init(channel: SocketChannel) {
        self.channel = channel
    }

    /// What comes next; nil once it is closed.
    package func next() async -> News? {
        while let event = await channel.receive() {
            switch event {
            case .monitor(.handshakeSucceeded): return .connected
            case .monitor(.disconnected): return .disconnected
            case .monitor(.authenticationFailed): return .refused
            case .monitor(.handshakeFailed), .dropped: continue
            case .message(let frames):
                guard let frame = frames.first, let header = try? frame.decode(Header.self) else { continue }
                return .notice(Item(header: header, json: frame.bytes))
            }
        }
        return nil
    }

    /// Closes the connection; ``next()`` then returns nil.
    package func close() {
        channel.close()
    }
}
