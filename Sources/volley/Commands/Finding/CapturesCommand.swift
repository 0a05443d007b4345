import ArgumentParser
import CaptureModel
import Catalogue
import Programs
import RigProtocol
import RigTransport
import ZeroMQ

/// `volley captures`.
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures", abstract: "Lists captures, newest first.")

    @OptionGroup var rig: RigOptions
    @Option(help: "Read this library's catalogue directly, without a coordinator.") var library: String?
    @Option(help: "Only captures of this session.") var session: String?
    @Option(name: .customLong("label"), help: "Only captures with this KEY=VALUE; may be repeated.")
    var labels: [String] = []
    @Option(help: "Only captures in which this node took part.") var node: NodeName?
    @Option(help: "Only captures in this state.") var state: CaptureState?
    @Option(help: "Only captures from this time on, UTC: 2026-11-21 or 2026-11-21T18:00.") var since: String?
    @Option(help: "Only captures before this time, UTC.") var until: String?
    @Option(help: "At most this many.") var limit = 50
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            var filter = CaptureFilter()
            filter.session = session
            filter.labels = try parseLabels(labels)
            filter.node = node
            filter.state = state
            filter.since = try since.map(parseTime)
            filter.until = try until.map(parseTime)
            filter.limit = limit
            let captures = try await find(filter)
            if json { return try Output.json(captures) }
            var table = Table(["CAPTURE", "CREATED (UTC)", "STATE", "PLAN", "SESSION", "NODES", "PHOTOS", "REASON"])
            for capture in captures {
                table.add([
                    "\(capture.uniqueID)", Sentences.time(capture.createdAt), capture.state.rawValue,
                    capture.planName, capture.session ?? "", "\(capture.nodeCount)",
                    "\(capture.storedPhotoCount)/\(capture.expectedPhotoCount)", capture.reason ?? "",
                ])
            }
            Output.data(table.text)
        }
    }

    private func find(_ filter: CaptureFilter) async throws -> [CaptureSummary] {
        if let library { return try await openCatalogue(library: library).captures(filter) }
        let client = try rig.connect()
        defer { client.close() }
        return try await client.ask(CapturesRequest(filter: filter)).captures
    }

    private func parseTime(_ text: String) throws -> UTCTime {
        let formats = ["yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss"]
        if let time = UTCTime.parse(text, formats) { return time }
        throw ValidationError("A time must be written as 2026-11-21 or 2026-11-21T18:00, not '\(text)'.")
    }
}
