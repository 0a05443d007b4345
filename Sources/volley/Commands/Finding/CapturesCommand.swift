import ArgumentParser
import CaptureModel
import Documents
import Programs
import RigConfiguration

/// `volley captures`.
struct CapturesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures", abstract: "Lists captures, newest first.")

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: CaptureChoice
    @Option(name: .customLong("node"), help: "Only captures in which this node took part, or top-* for any of those.")
    var nodes: [NodePattern] = []
    @Option(name: .customLong("state"), help: "Only captures in this state; may be repeated.")
    var states: [CaptureState] = []
    @Option(help: "Only captures with a photo that was found to be so.") var verification: VerificationWord?
    @Option(help: "Only captures with these words in what went wrong.") var reason: String?
    @Option(help: "Only captures with this error: diskFull, exposureMismatch, nodeUnreachable...") var error: String?
    @Option(help: "Only captures whose nodes were at least this far apart: 2ms, 500us.") var minSpread: String?
    @OptionGroup var opinion: OpinionChoice
    @Flag(help: "Only captures that were deleted.") var deleted = false
    @Flag(help: "Those first whose nodes were furthest apart.") var widestFirst = false
    @Option(help: "At most this many, up to 10000.") var limit = RowLimit(50)
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { _ = try filter() }

    func run() async throws {
        try await Output.reporting {
            let filter = try filter()
            let found = try await questions.ask { try await $0.captures(filter) }
            if json { return try Output.json(found.items.map { CaptureDocument($0) }) }
            Output.report(CaptureList(captures: found.items).text)
            if found.items.isEmpty { Output.words("No capture matches.") }
            for line in found.remarks + [found.shortfall].compactMap(\.self) { Output.words(line.printableLine) }
        }
    }

    private func filter() throws -> CaptureFilter {
        var filter = try choice.filter()
        (filter.nodes, filter.states, filter.verification) = (nodes, states, verification?.rawValue)
        (filter.reason, filter.error) = (reason, error.map(CaptureError.Code.init(rawValue:)))
        filter.minSpreadNanoseconds = try minSpread.map { text in
            guard let span = TimeSpan.nanoseconds(text) else {
                throw ValidationError("--min-spread must be a time such as 500us or 2ms, not '\(text)'.")
            }
            return span
        }
        (filter.minRating, filter.isRejected) = (opinion.minRating, opinion.isRejected)
        filter.isDeleted = deleted ? true : nil
        (filter.order, filter.limit) = (widestFirst ? .spread : .newest, limit.count)
        return filter
    }
}
