import ArgumentParser
import CaptureModel
import Daemon
import RigProtocol
import RigTransport

/// `volley watch`.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what happens on the rig, as it happens.",
        discussion: "What is missed while the coordinator is away, or the wire is cut, is printed once it is back.")

    @OptionGroup var rig: RigOptions
    @Option(
        help:
            "First what happened since: 10m for the last ten minutes, a time in UTC, or the number of the last news had."
    )
    var since: String?
    @Flag(help: "One JSON document a line.") var jsonl = false

    func validate() throws { _ = try number() }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var feed = try await NewsFeed(client, after: try number())
            defer { feed.close() }
            Output.words("Watching; end with Ctrl-C.")
            while true {
                switch try await feed.next() {
                case .away: Output.words("The coordinator is away; waiting for it.")
                case .back: Output.words("It is back.")
                case .news(let notice) where jsonl: try Output.json(notice, isLine: true)
                case .news(let notice): Output.data(line(notice).printableLine)
                }
            }
        }
    }

    /// After which news; their numbers are times.
    private func number() throws -> Int64? {
        guard let since else { return nil }
        if let number = Int64(since), number >= 0 { return number }
        if let ago = try? Moment.parseInterval(since) { return Moment.now - ago }
        if !since.hasPrefix("+"), let time = try? Moment.parse(since) { return time }
        throw ValidationError("--since is 10m, 2026-11-21T18:00 or the number of a piece of news, not '\(since)'.")
    }

    private func line(_ notice: Notice) -> String {
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
