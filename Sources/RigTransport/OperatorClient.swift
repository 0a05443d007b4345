import CaptureModel
package import RigProtocol
import Synchronization
package import ZeroMQ

/// An operator's side of the wire: asks the coordinator, and listens to its events.
package final class OperatorClient: Sendable {
    /// Why there is no answer.
    package enum ClientError: Error, Sendable, CustomStringConvertible {
        case unreachable(String)
        case keyRefused(String)
        case refused(Refusal)
        case wire(WireError)

        package var description: String {
            switch self {
            case .unreachable(let place):
                "No coordinator answers at \(place); is volley-coordinator running there?"
            case .keyRefused(let place):
                "The coordinator at \(place) refused this key, or is not the one whose key was given. Put the public key "
                    + "into its folder of operators; and is \(place) its port for operators, the second of its five?"
            case .refused(let refusal):
                ([refusal.message] + refusal.details.map { "  \($0)" }).map(\.printableLine).joined(separator: "\n")
            case .wire(let error): error.message
            }
        }

        /// The exit status of a command that ends with it; see sysexits.
        package var exitCode: Int32 {
            switch self {
            case .unreachable: 69
            case .keyRefused: 77
            case .refused(let refusal): refusal.exitCode
            case .wire: 1
            }
        }
    }

    private let context: Context
    private let keys: CurveKeyPair
    private let coordinatorKey: CurvePublicKey
    private let host: String
    /// Where the coordinator is asked, `HOST:PORT`.
    package let place: String
    /// Nil until the next question, after one that was not answered.
    private let requests: Mutex<SocketChannel?>

    /// Connects.
    ///
    /// - Parameter port: of the coordinator's plane for operators.
    package init(
        context: Context, keys: CurveKeyPair, coordinatorKey: CurvePublicKey, host: String, port: Int
    ) throws(ZeroMQError) {
        self.context = context
        self.keys = keys
        self.coordinatorKey = coordinatorKey
        self.host = host
        place = "\(host):\(port)"
        requests = Mutex(try Self.connect(context, keys, coordinatorKey, place))
    }

    private static func connect(
        _ context: Context, _ keys: CurveKeyPair, _ coordinatorKey: CurvePublicKey, _ place: String
    ) throws(ZeroMQError) -> SocketChannel {
        var options = SocketOptions()
        options.security = .client(keys, server: coordinatorKey)
        options.maximumMessageSize = 64 << 20
        // What nobody answered in time is not to be found by a coordinator that comes back.
        options.linger = 0
        return try SocketChannel(
            context: context, name: "requests", type: .dealer, options: options,
            attachment: .connect("tcp://\(place)"))
    }

    /// Asks, and waits for the answer of a kind. One question at a time.
    ///
    /// - Parameter seconds: how long.
    /// - Throws: ``ClientError``; where it is ``ClientError/unreachable(_:)`` the question may have arrived all the same.
    package func ask<Reply: WireMessage>(
        _ request: OperatorRequest, for type: Reply.Type, seconds: Double = 10
    ) async throws -> Reply {
        let channel = requests.withLock { channel in
            channel = channel ?? (try? Self.connect(context, keys, coordinatorKey, place))
            return channel
        }
        guard let channel else { throw ClientError.unreachable(place) }
        channel.send([Frame(Codec.encode(request.body, sequence: 1))])
        var isAnswered = false
        // An answer that comes late must not be taken for the next question's: nothing in it says whose it is.
        defer { if !isAnswered { close() } }
        do {
            let reply = try await reply(type, on: channel, seconds)
            isAnswered = true
            return reply
        } catch ClientError.refused(let refusal) {
            isAnswered = true
            throw ClientError.refused(refusal)
        }
    }

    private func reply<Reply: WireMessage>(
        _ type: Reply.Type, on channel: SocketChannel, _ seconds: Double
    ) async throws -> Reply {
        try await withThrowingTaskGroup(of: Reply?.self) { group in
            group.addTask { try await self.answer(type, on: channel) }
            group.addTask {
                try await Task.sleep(for: .seconds(seconds))
                return nil
            }
            defer { group.cancelAll() }
            guard let reply = try await group.next() ?? nil else {
                try Task.checkCancellation()
                throw ClientError.unreachable(place)
            }
            return reply
        }
    }

    private func answer<Reply: WireMessage>(_ type: Reply.Type, on channel: SocketChannel) async throws -> Reply? {
        while let event = await channel.receive() {
            switch event {
            case .monitor(.authenticationFailed), .monitor(.handshakeFailed):
                throw ClientError.keyRefused(place)
            case .monitor, .dropped:
                continue
            case .message(let frames):
                guard let frame = frames.first else { continue }
                do {
                    if try frame.decode(Header.self).type == Refusal.type {
                        throw ClientError.refused(try frame.decode(Refusal.self))
                    }
                    return try frame.decode(type)
                } catch let error as WireError {
                    throw ClientError.wire(error)
                }
            }
        }
        return nil
    }

    /// Listens to the events plane.
    ///
    /// - Returns: the JSON of each notice with its type, from now on; none that came before.
    package func watch(eventsPort: Int) throws(ZeroMQError) -> EventSubscription {
        var options = SocketOptions()
        options.security = .client(keys, server: coordinatorKey)
        options.maximumMessageSize = 4 << 20
        return EventSubscription(
            channel: try SocketChannel(
                context: context, name: "watch", type: .subscribe, options: options,
                attachment: .connect("tcp://\(host):\(eventsPort)")))
    }

    /// Gives up what was asked; the next question connects anew.
    package func close() {
        requests.withLock { $0.take() }?.close()
    }
}

/// News from a coordinator, one at a time.
package final class EventSubscription: Sendable {
    /// What comes.
    package enum News: Sendable {
        case notice(Item)
        /// Notices come from about here on; the gaps in their sequence tell of those that do not.
        case connected
        /// Until it is connected again all is missed.
        case disconnected
        /// The key was refused; nothing will come.
        case refused
    }

    /// One notice.
    package struct Item: Sendable {
        package let header: Header
        /// The first frame as it came.
        package let json: [UInt8]

        /// Its body.
        package func decode<Body: WireMessage>(_ type: Body.Type) throws -> Body {
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

    package func close() {
        channel.close()
    }
}
