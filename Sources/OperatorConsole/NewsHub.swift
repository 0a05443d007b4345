import CaptureModel
import RigProtocol
import RigTransport
import Synchronization

/// The rig's news for all browsers: the coordinator is asked once, however many listen.
///
/// Each listener has a cursor and takes what lies behind it when it can: one that does not read keeps nobody up, and one
/// that comes back misses nothing, since what is older than the hub's own memory is asked for.
final class NewsHub: Sendable {
    fileprivate struct State {
        /// The newest news, in order.
        var recent: [Notice] = []
        /// Everything after this number is in `recent`.
        var since: Int64 = .max
        var newest: Int64 = 0
        var isAway = true
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var listenerCount = 0
    }

    fileprivate static let mostRecent = 2000

    private let client: OperatorClient
    private let state = Mutex(State())

    init(_ client: OperatorClient) { self.client = client }

    /// Whether the coordinator does not answer.
    var isAway: Bool { state.withLock { $0.isAway } }
    /// The number of the latest news.
    var newest: Int64 { state.withLock { $0.newest } }

    /// Listens to the coordinator until the task is cancelled.
    func run() async throws {
        while true {
            do {
                try await listen()
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A coordinator that is not there yet, or refuses this key until an administrator admits it.
                change { $0.isAway = true }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func listen() async throws {
        let newest = try await client.ask(StatusRequest()).news
        var feed = try await NewsFeed(client, after: newest)
        defer { feed.close() }
        change { state in
            (state.recent, state.since, state.newest, state.isAway) = ([], newest, newest, false)
        }
        while true {
            switch try await feed.next() {
            case .away: change { $0.isAway = true }
            case .back: change { $0.isAway = false }
            case .news(let notice): change { $0.add(notice) }
            }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let listeners = state.withLock { state in
            body(&state)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield() }
    }

    /// News after a number, as much of it as one answer has; asked for where it is not remembered.
    func news(after number: Int64) async throws -> [Notice] {
        let remembered = state.withLock { state in
            number < state.since ? nil : state.recent.filter { $0.number > number }
        }
        if let remembered { return remembered }
        return try await client.ask(NewsRequest(after: number)).news
    }

    /// A sign each time that there may be news, and that the coordinator went away or came back; it ends with its task.
    func signs() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.listenerCount += 1
            state.listeners[state.listenerCount] = continuation
            return state.listenerCount
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    /// Gives all listeners a sign, so that those whose browsers are gone find out.
    func tick() { change { _ in } }
}

extension NewsHub.State {
    fileprivate mutating func add(_ notice: Notice) {
        recent.append(notice)
        newest = max(newest, notice.number)
        guard recent.count > NewsHub.mostRecent else { return }
        // Half of it, so that not every notice moves all others.
        let count = NewsHub.mostRecent / 2
        since = recent[count - 1].number
        recent.removeFirst(count)
    }
}
