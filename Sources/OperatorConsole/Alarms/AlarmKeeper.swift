import CaptureModel
import DurableFiles
import Foundation
import Logging
import Posix
import Programs
import RigAttention
import RigProtocol
import RigTransport
import ServiceLifecycle
import Synchronization

/// Looks at the rig all the time, so that what went wrong while nobody looked is seen by the next who does.
///
/// ```
/// look, every 5 s --> AlarmBook --> browsers
///                         |
///                         +-- what it is by then --> the one writer --> file
/// ```
final class AlarmKeeper: Sendable, Service {
    /// The interval at which it looks.
    private static let interval = Duration.seconds(5)
    /// In how many looks news is written down where no alarm changes.
    private static let calmLooks = 60

    private let client: OperatorClient
    private let hub: NewsHub
    /// Where alarms outlive the console; nil for nowhere.
    private let file: String?
    private let logger: Logger
    private let state: Mutex<AlarmBook>
    private let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// - Parameter file: where alarms outlive the console; nil for nowhere.
    init(_ client: OperatorClient, _ hub: NewsHub, file: String?, logger: Logger) {
        (self.client, self.hub, self.file, self.logger) = (client, hub, file, logger)
        state = Mutex(Self.book(in: file, logger))
    }

    private static func book(in file: String?, _ logger: Logger) -> AlarmBook {
        guard let file, let bytes = try? PosixFileSystem().read(file) else { return AlarmBook() }
        if let book = try? JSONDecoder().decode(AlarmBook.self, from: Data(bytes)) { return book }
        logger.error("\(file) is damaged, and kept as \(file).damaged; alarms from before are not shown")
        try? PosixFileSystem().rename(file, to: file + ".damaged")
        return AlarmBook()
    }

    var book: AlarmBook { state.withLock { $0 } }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in self.changes { await self.write() } }
                var (looks, trouble) = (0, "")
                // Being cancelled is its end, and no failure.
                while (try? await Task.sleep(for: Self.interval)) != nil {
                    let told = await look()
                    if let told, told != trouble { logger.warning("the rig cannot be looked at: \(told)") }
                    trouble = told ?? ""
                    looks += 1
                    if looks % Self.calmLooks == 1 { changed.yield() }
                }
                group.cancelAll()
            }
        }
        await write()
    }

    /// - Returns: why it did not see the rig; nil where it did, or where the coordinator is away.
    private func look() async -> String? {
        guard !hub.standing.isAway else {
            change { $0.observe(Outlook(unknown: "The coordinator does not answer the console."), at: .now) }
            return nil
        }
        do {
            let status = try await client.ask(StatusRequest())
            let nodes = try await client.ask(NodesRequest()).nodes
            let families = try await client.ask(MetricsRequest(), waitsItsTurn: false).families
            change { $0.observe(Outlook(status, nodes, families), at: .now) }
            try await read(upTo: status.news)
            return nil
        } catch {
            guard !Task.isCancelled else { return nil }
            change { $0.observe(Outlook(unknown: "The console cannot see how the rig is: \(error)"), at: .now) }
            return "\(error)"
        }
    }

    /// Reads the news that is not in the book; what there was before it was begun is of no interest.
    private func read(upTo newest: Int64) async throws {
        // A catalogue that was created anew counts anew.
        var number = min(book.newsNumber ?? newest, newest)
        while true {
            let page = try await hub.news(after: number)
            number = max(number, page.last)
            change { $0.observe(page.news, upTo: number) }
            guard page.isMore else { return }
        }
    }

    /// Somebody has seen these.
    ///
    /// - Returns: how many of them there were.
    func see(_ numbers: Set<Int64>) -> Int { change { $0.see(numbers) } }

    @discardableResult
    private func change<Answer>(_ body: (inout AlarmBook) -> Answer) -> Answer {
        let (answer, isOther) = state.withLock { book in
            let before = book.alarms
            let answer = body(&book)
            return (answer, book.alarms != before)
        }
        if isOther {
            hub.tick()
            changed.yield()
        }
        return answer
    }

    /// Writes down what the book says by now; a disk that hangs holds nothing else up.
    private func write() async {
        guard let file, let bytes = try? JSONEncoder().encode(book) else { return }
        do {
            try await OSThread.run(name: "alarms") { try PosixFileSystem().writeDurably(bytes, to: file) }
        } catch {
            logger.error("alarms are not kept for the next start: \(error)")
        }
    }
}
