import ArgumentParser
import CaptureModel
import Documents
import Programs
import RigConfiguration

/// `volley labels`.
struct LabelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "labels", abstract: "Lists the labels of captures, and how many captures have each.")

    @OptionGroup var questions: QuestionOptions
    @Option(parsing: .unconditional, help: "Count captures from this time on: \(TypedTime.examples).")
    var since: String?
    @Option(help: "At most this many.") var limit = RowLimit(1000)
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { _ = try since.map(Instant.passed) }

    func run() async throws {
        try await Output.reporting {
            let since = try since.map(Instant.passed)
            let labels = try await questions.ask { try await $0.labels(since: since, limit: limit.count) }
            if json { return try Output.json(labels.map { LabelDocument($0) }) }
            var table = Table(["LABEL", "VALUE", "CAPTURES", Sentences.zoned("LAST")])
            for label in labels {
                table.add([label.key, label.value, "\(label.captureCount)", Sentences.time(label.lastAt)])
            }
            Output.report(table.text)
        }
    }
}
