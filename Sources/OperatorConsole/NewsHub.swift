import CaptureModel
import RigProtocol
import RigTransport
import Synchronization

/// The rig's news for all browsers: the coordinator is asked once, however many listen.
///
/// Each listener has a cursor and takes what lies behind it when it can: one that does not read keeps nobody up, and one
/// that comes back misses nothing, since what is older than the hub's own memory is asked for.
final class NewsHub: Sendable {
    /// How the rig is, as far as it is known.
    struct Standing: Sendable {
        /// Whether the coordinator does not answer.
        var isAway = true
        /// The number of the latest news.
        var newest: Int64 = 0
        /// Another one each time that numbers begin anew, with a catalogue that was created anew.
        var generation = 0
    }

    private struct Listeners {
        var signs: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let client: OperatorClient
    private let memory = Mutex(NewsMemory())
    private let listeners = Mutex(Listeners())

    init(_ client: OperatorClient) { self.client = client }

    var standing: Standing { memory.withLock(\.standing) }

    /// Listens to the coordinator until the task is cancelled.
    func run() async throws {
        while true {
            do {
                try await listen()
                try await Task.sleep(for: .milliseconds(100))
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // A coordinator that is not there yet, or refuses this key until an administrator admits it.
                change { $0.standing.isAway = true }
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func listen() async throws {
        let newest = try await client.ask(StatusRequest()).news
        var feed = try await NewsFeed(client, after: newest)
        defer { feed.close() }
        change { $0.begin(after: newest) }
        while true {
            switch try await feed.next() {
            case .away: change { $0.standing.isAway = true }
            // What it says next may be of another catalogue.
            case .back: return
            case .news(let notice): change { $0.add(notice) }
            }
        }
    }

    private func change(_ body: (inout NewsMemory) -> Void) {
        memory.withLock { body(&$0) }
        tick()
    }

    /// News after a number, as much of it as one answer has; asked for where it is not remembered.
    func news(after number: Int64) async throws -> NewsReply {
        if let news = memory.withLock({ $0.news(after: number) }) {
            return NewsReply(news: news, last: news.last?.number ?? number, isMore: false)
        }
        return try await client.ask(NewsRequest(after: number))
    }

    /// A sign each time that there may be news, and that the coordinator went away or came back; it ends with its task.
    func signs() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = listeners.withLock { listeners in
            listeners.count += 1
            listeners.signs[listeners.count] = continuation
            return listeners.count
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.signs.removeValue(forKey: number) }
        }
        // What there was before is news as well.
        continuation.yield()
        return stream
    }

    /// Gives all listeners a sign, so that those whose browsers are gone find out.
    func tick() {
        for sign in listeners.withLock({ Array($0.signs.values) }) { sign.yield() }
    }
}

/// The newest news; pure.
struct NewsMemory: Sendable {
    var standing = NewsHub.Standing()
    private let capacity: Int
    /// In order.
    private var recent: [Notice] = []
    /// Everything after this number is in `recent`.
    private var since: Int64 = .max

    init(capacity: Int = 2000) { self.capacity = capacity }

    /// Begins anew: what comes next follows this number.
    mutating func begin(after number: Int64) {
        if number < standing.newest { standing.generation += 1 }
        (recent, since, standing.newest, standing.isAway) = ([], number, number, false)
    }

    mutating func add(_ notice: Notice) {
        recent.append(notice)
        standing.newest = max(standing.newest, notice.number)
        guard recent.count > capacity else { return }
        // Half of it, so that not every notice moves all others.
        let count = capacity / 2
        since = recent[count - 1].number
        recent.removeFirst(count)
    }

    /// All that came after a number; nil where some of it is not remembered.
    func news(after number: Int64) -> [Notice]? {
        guard number >= since else { return nil }
        return Array(recent.drop { $0.number <= number })
    }
}
