import CaptureModel
import Posix
package import RigProtocol
import Synchronization
package import ZeroMQ

/// An operator's side of the wire: asks the coordinator, and listens to its events.
///
/// One connection can have any number of requests under way: each answer says which of them it answers. Of the catalogue
/// it asks a few at a time, and what it is asked beyond them waits here: the coordinator limits each operator.
package final class OperatorClient: Sendable {
    /// Why there is no answer.
    package enum ClientError: Error, Sendable, CustomStringConvertible {
        case unreachable(String)
        case keyRefused(String)
        case refused(Refusal)
        case wire(WireError)

        /// One sentence for the operator; for a refusal, its details on lines of their own.
        package var description: String {
            switch self {
            case .unreachable(let place):
                "No coordinator answers at \(place); is volley-coordinator running there?"
            case .keyRefused(let place):
                "The coordinator at \(place) refused this key, or is not the one whose key was given. Have an administrator "
                    + "admit it (`volley operators add NAME NAME.pub`), or put the .pub file into the coordinator's folder "
                    + "`administrators`; and check that \(place) is its port for operators, the second."
            case .refused(let refusal):
                ([refusal.message] + refusal.details.map { "  \($0)" }).map(\.printableLine).joined(separator: "\n")
            case .wire(let error): error.message
            }
        }
    }

    private struct Connection {
        let channel: SocketChannel
        /// The callers that wait, by the number of their request.
        var waiting: [Int: CheckedContinuation<[Frame], any Error>] = [:]
        /// The newest request that had been made when the coordinator was last heard from.
        var heardAfter = 0
    }

    private struct State {
        var requestCount = 0
        /// When an answer last came.
        var lastHeard: ContinuousClock.Instant?
        /// Nil after a request that was not answered, until the next one.
        var connection: Connection?
    }

    private let context: Context
    private let keys: CurveKeyPair
    private let coordinatorKey: CurvePublicKey
    /// What tells its coordinator from all others, in hexadecimal digits, wherever it is reached.
    package var identity: String {
        coordinatorKey.text.utf8.prefix(8).map { String($0, radix: 16) }.joined()
    }
    private let host: String
    private let usesIPv6: Bool
    /// Where requests go, as `HOST:PORT`.
    package let place: String
    private let state: Mutex<State>
    /// More than the coordinator answers at once, and less than half of what it lets one operator ask.
    private let turnstile = Turnstile(places: 8, longestQueue: 1000)

    /// Connects.
    ///
    /// - Parameters:
    ///   - host: the coordinator's name or address, one of IPv6 in brackets.
    ///   - port: of the coordinator's plane for operators.
    package init(
        context: Context, keys: CurveKeyPair, coordinatorKey: CurvePublicKey, host: String, port: Int
    ) throws(ZeroMQError) {
        self.context = context
        self.keys = keys
        self.coordinatorKey = coordinatorKey
        self.host = host
        usesIPv6 = SocketAddress.isIPv6(host)
        place = "\(host):\(port)"
        state = Mutex(State())
        try state.withLock { state throws(ZeroMQError) in state.connection = try connect() }
    }

    private func connect() throws(ZeroMQError) -> Connection {
        var options = SocketOptions()
        options.security = .client(keys, server: coordinatorKey)
        options.usesIPv6 = usesIPv6
        options.maximumMessageSize = 64 << 20
        // A coordinator that comes back must not find requests that were not answered in time.
        options.linger = 0
        let channel = try SocketChannel(
            context: context, name: "requests", type: .dealer, options: options, attachment: .connect("tcp://\(place)"))
        Task { await read(channel) }
        return Connection(channel: channel)
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait: for its turn, where it has to, and for the answer.
    ///   - waitsItsTurn: false for what others depend on, and what is asked one at a time.
    /// - Throws: ``ClientError``; where it is ``ClientError/unreachable(_:)`` the question may have arrived all the same.
    package func ask<Question: OperatorMessage>(
        _ question: Question, seconds: Double = 10, waitsItsTurn: Bool = true
    ) async throws -> Question.Reply {
        try await askForBytes(question, seconds: seconds, waitsItsTurn: waitsItsTurn).reply
    }

    /// The same, for an answer that bytes follow.
    package func askForBytes<Question: OperatorMessage>(
        _ question: Question, seconds: Double = 10, waitsItsTurn: Bool = true
    ) async throws -> (reply: Question.Reply, bytes: [UInt8]) {
        guard waitsItsTurn, question is any CatalogueMessage else {
            return try await askNow(question, seconds: seconds)
        }
        let since = ContinuousClock.now
        let answer = try await turnstile.pass(within: .seconds(seconds)) {
            // What is not wanted any more is not asked for.
            try Task.checkCancellation()
            return try await askNow(question, seconds: seconds - since.duration(to: .now) / .seconds(1))
        }
        if let answer { return answer }
        try Task.checkCancellation()
        // Whether those before it wait for a coordinator that answers.
        throw state.withLock { $0.lastHeard.map { $0 > since } ?? false }
            ? Self.hasTooMany : ClientError.unreachable(place)
    }

    private static let hasTooMany = ClientError.refused(
        Refusal(.tryAgain, "Too many questions wait for the coordinator already; ask again later."))

    private func askNow<Question: OperatorMessage>(
        _ question: Question, seconds: Double
    ) async throws -> (reply: Question.Reply, bytes: [UInt8]) {
        let number = state.withLock { state in
            state.requestCount += 1
            return state.requestCount
        }
        let patience = Task {
            try await Task.sleep(for: .seconds(seconds))
            giveUp(number, ClientError.unreachable(place))
        }
        defer { patience.cancel() }
        let frames = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { send(question, as: number, for: $0) }
        } onCancel: {
            giveUp(number, CancellationError())
        }
        return (try read(frames[0], as: Question.Reply.self), frames.count > 1 ? frames[1].bytes : [])
    }

    private func read<Reply: WireMessage>(_ answer: Frame, as type: Reply.Type) throws(ClientError) -> Reply {
        do {
            if try answer.decode(Header.self).type == Refusal.type {
                throw ClientError.refused(try answer.decode(Refusal.self))
            }
            return try answer.decode(type)
        } catch let error as WireError {
            throw .wire(error)
        } catch let error as ClientError {
            throw error
        } catch {
            throw .wire(WireError(.malformed, "\(error)"))
        }
    }

    private func send(
        _ question: some OperatorMessage, as number: Int, for continuation: CheckedContinuation<[Frame], any Error>
    ) {
        let isSent = state.withLock { state in
            if state.connection == nil { state.connection = try? connect() }
            guard let channel = state.connection?.channel else { return false }
            state.connection?.waiting[number] = continuation
            channel.send([Frame(Codec.encode(question, sequence: number))])
            return true
        }
        if !isSent { continuation.resume(throwing: ClientError.unreachable(place)) }
        // Nobody waits for the answer to a request that was given up before it was sent.
        if Task.isCancelled { giveUp(number, CancellationError()) }
    }

    private func answer(_ number: Int, _ result: Result<[Frame], any Error>) {
        state.withLock { $0.connection?.waiting.removeValue(forKey: number) }?.resume(with: result)
    }

    /// Stops waiting for a request. If nothing was heard since it was made, the requests that wait with it would get no
    /// answer either: the connection is given up with all of them, so that no coordinator that comes back finds them.
    private func giveUp(_ number: Int, _ error: any Error) {
        let deaf = state.withLock { state -> Connection? in
            guard let connection = state.connection, connection.waiting[number] != nil,
                connection.heardAfter < number
            else { return nil }
            return state.connection.take()
        }
        guard var deaf else { return answer(number, .failure(error)) }
        let own = deaf.waiting.removeValue(forKey: number)
        end(deaf, with: .unreachable(place))
        own?.resume(throwing: error)
    }

    private func read(_ channel: SocketChannel) async {
        var failures = 0
        while let event = await channel.receive() {
            switch event {
            case .monitor(.authenticationFailed):
                end(with: .keyRefused(place), channel)
            case .monitor(.handshakeSucceeded):
                failures = 0
            case .monitor(.handshakeFailed):
                // A busy coordinator breaks one off as well; one with another key breaks off each.
                failures += 1
                if failures == 3 { end(with: .keyRefused(place), channel) }
            case .monitor, .dropped:
                continue
            case .message(let frames):
                guard !frames.isEmpty else { continue }
                state.withLock { state in
                    state.lastHeard = .now
                    state.connection?.heardAfter = state.requestCount
                }
                take(frames, from: channel)
            }
        }
    }

    private func take(_ frames: [Frame], from channel: SocketChannel) {
        do throws(WireError) {
            let header = try frames[0].decode(Header.self)
            if let number = header.answers, number > 0 { return answer(number, .success(frames)) }
            // The coordinator does not know which request it was that it could not read.
            if header.type == Refusal.type { end(with: .refused(try frames[0].decode(Refusal.self)), channel) }
        } catch {
            end(with: .wire(error), channel)
        }
    }

    /// - Parameter channel: that of the connection that is over; nil for the one in use.
    private func end(with error: ClientError, _ channel: SocketChannel? = nil) {
        let ended = state.withLock { state -> Connection? in
            if let channel, state.connection?.channel !== channel { return nil }
            return state.connection.take()
        }
        if let ended { end(ended, with: error) }
    }

    private func end(_ connection: Connection, with error: ClientError) {
        connection.channel.close()
        for continuation in connection.waiting.values { continuation.resume(throwing: error) }
    }

    /// Listens to the events plane.
    ///
    /// - Returns: each notice from now on, as JSON with its type; none from before.
    package func watch(eventsPort: Int) throws(ZeroMQError) -> EventSubscription {
        var options = SocketOptions()
        options.security = .client(keys, server: coordinatorKey)
        options.usesIPv6 = usesIPv6
        options.maximumMessageSize = 4 << 20
        return EventSubscription(
            channel: try SocketChannel(
                context: context, name: "watch", type: .subscribe, options: options,
                attachment: .connect("tcp://\(host):\(eventsPort)")))
    }

    /// Gives up all requests under way; the next one connects again.
    package func close() {
        end(with: .unreachable(place))
    }
}
