import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// `volley watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what happens on the rig, as it happens.",
        discussion: """
            A line for each step of a capture, each change of its state, and whatever goes wrong. Whatever is missed \
            while the coordinator or the network is away is printed once it is back.
            """)

    @OptionGroup var rig: RigOptions
    @Option(
        parsing: .unconditional,
        help: "Begin with what happened since: \(TypedTime.examples), or the last news number seen.")
    var since: String?
    @Flag(help: "Print each event of each node, and each photo.") var events = false
    @Flag(help: "Print one JSON document per line: each event of each node, and each photo.") var jsonl = false

    func validate() throws { _ = try start() }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var feed = try await feed(of: client, since: try start())
            defer { feed.close() }
            Output.words("Watching; end with Ctrl-C.")
            let teller = Task { await LibraryTeller.run(client) }
            defer { teller.cancel() }
            var digest = NewsDigest()
            while true {
                switch try await feed.next() {
                case .away: Output.words("The coordinator is away; waiting for it.")
                case .back: Output.words("It is back.")
                case .news(let notice) where jsonl: try Output.json(NoticeDocument(notice), isLine: true)
                case .news(let notice) where events: tell(notice, [words(notice)])
                case .news(let notice):
                    if let id = digest.unknownCapture(in: notice) { digest.learn(id, try await detail(id, client)) }
                    tell(notice, digest.lines(notice))
                }
            }
        }
    }

    /// - Parameter start: from when on news is wanted; nil for what becomes true from now on.
    private func feed(of client: OperatorClient, since start: Instant?) async throws -> NewsFeed {
        let began = ContinuousClock.now
        var isTold = false
        while true {
            do {
                return try await NewsFeed(client, after: try await number(start, client, isTold ? began : nil))
            } catch let error as OperatorClient.ClientError {
                guard case .unreachable = error else { throw error }
                if !isTold { Output.words("\(error) Waiting for it.") }
                isTold = true
                // The question has waited for an answer already.
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func start() throws -> Instant? {
        guard let since else { return nil }
        if let number = Int64(since), number >= 0 { return .at(UTCTime(rawValue: number)) }
        return try Instant.passed(since)
    }

    /// The number after which to begin: news is numbered by the coordinator's time.
    ///
    /// - Parameter began: since when nobody has answered: what happened meanwhile is wanted, too.
    private func number(
        _ start: Instant?, _ client: OperatorClient, _ began: ContinuousClock.Instant?
    ) async throws -> Int64? {
        if case .at(let time)? = start { return time.rawValue }
        guard start != nil || began != nil else { return nil }
        let now = try await client.ask(StatusRequest()).utc ?? .now
        let waited = began.map { Int64($0.duration(to: .now) / .nanoseconds(1)) + .seconds(1) } ?? 0
        return ((start ?? .fromNow(0)).time(now) - waited).rawValue
    }

    private func tell(_ notice: Notice, _ lines: [String]) {
        // News is numbered by time.
        let time = Sentences.time(UTCTime(rawValue: notice.number))
        for line in lines { Output.data("\(time)  \(line)".printableLine) }
    }

    /// Nil where nobody knows it any more, or nobody answers: what is told of it then is less.
    private func detail(_ id: UniqueID, _ client: OperatorClient) async throws -> CaptureDetail? {
        do { return try await client.ask(ShowRequest(uniqueID: id)).capture } catch is OperatorClient.ClientError {
            return nil
        }
    }

    private func words(_ notice: Notice) -> String {
        switch notice {
        case .event(let notice):
            let event = notice.event
            let step = event.sequenceCount.map { " step \($0)" } ?? ""
            let error = (event.error ?? event.photo?.error).map { ": \($0.message)" } ?? ""
            return "\(event.uniqueID)  \(notice.node)  \(event.sequence)  \(event.kind.rawValue)\(step)\(error)"
        case .capture(let notice):
            let reason = notice.reason.map { ": \($0)" } ?? ""
            return "\(notice.uniqueID)  \(notice.state.rawValue)  "
                + "\(notice.storedPhotoCount)/\(notice.expectedPhotoCount) photos\(reason)"
        case .node(let notice):
            let node = notice.node
            return "node \(node.name)  \(node.state.rawValue)\(node.problem.map { ": \($0)" } ?? "")"
        }
    }
}
