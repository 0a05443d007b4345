import CaptureModel
import DurableFiles
import Foundation
import Posix
import Programs
import RigAttention
import RigProtocol
import RigTransport
import ServiceLifecycle
import Synchronization

/// Looks at the rig all the time, so that what went wrong while nobody looked is seen by the next who does.
final class AlarmKeeper: Sendable, Service {
    /// The interval at which it looks.
    private static let interval = Duration.seconds(5)

    private let client: OperatorClient
    private let hub: NewsHub
    /// Where alarms outlive the console; nil for nowhere.
    private let file: String?
    private let state: Mutex<AlarmBook>

    /// - Parameter file: where alarms outlive the console; nil for nowhere.
    init(_ client: OperatorClient, _ hub: NewsHub, file: String?) {
        (self.client, self.hub, self.file) = (client, hub, file)
        let bytes = file.flatMap { try? PosixFileSystem().read($0) }
        // What is damaged is begun anew: the rig is asked in a moment.
        state = Mutex(bytes.flatMap { try? JSONDecoder().decode(AlarmBook.self, from: Data($0)) } ?? AlarmBook())
    }

    var book: AlarmBook { state.withLock { $0 } }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // Being cancelled is its end, and no failure.
            while (try? await Task.sleep(for: Self.interval)) != nil { await look() }
        }
    }

    private func look() async {
        guard !hub.standing.isAway else { return await change { $0.observe(nil, at: .now) } }
        do {
            let status = try await client.ask(StatusRequest())
            let nodes = try await client.ask(NodesRequest()).nodes
            let families = try await client.ask(MetricsRequest()).families
            await change { $0.observe(Concern.all(status, nodes, families), at: .now) }
            try await read(upTo: status.news)
        } catch {
            // Whether it is away the hub finds out.
        }
    }

    /// Reads the news that is not in the book; what there was before it was begun is of no interest.
    private func read(upTo newest: Int64) async throws {
        // A catalogue that was created anew counts anew.
        var number = min(book.newsNumber ?? newest, newest)
        while true {
            let page = try await hub.news(after: number)
            number = max(number, page.last)
            let last = number
            await change { $0.observe(page.news, upTo: last, at: .now) }
            guard page.isMore else { return }
        }
    }

    /// Somebody has seen these.
    func see(_ numbers: Set<Int>) async -> Int {
        await change { $0.see(numbers) }
    }

    @discardableResult
    private func change<Answer: Sendable>(_ body: @Sendable (inout AlarmBook) -> Answer) async -> Answer {
        let (answer, changed) = state.withLock { book in
            let before = book.alarms
            let answer = body(&book)
            return (answer, book.alarms == before ? nil : book)
        }
        if let changed {
            hub.tick()
            await keep(changed)
        }
        return answer
    }

    private func keep(_ book: AlarmBook) async {
        guard let file, let bytes = try? JSONEncoder().encode(book) else { return }
        // On a full disk they are in memory still.
        try? await OSThread.run(name: "alarms") { try PosixFileSystem().writeDurably(bytes, to: file) }
    }
}
