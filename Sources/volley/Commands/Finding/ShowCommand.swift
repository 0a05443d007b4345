import ArgumentParser
import CaptureModel
import Documents
import Programs

/// `volley show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what became of one capture: its steps, its spread, and what went wrong.")

    @OptionGroup var questions: QuestionOptions
    @Argument(help: CaptureReference.help) var capture: CaptureReference
    @Flag(help: "List every event as well.") var events = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let detail = try await questions.ask { try await $0.capture(capture) }
            if json {
                try Output.json(CaptureDocument(detail))
            } else {
                Output.report(CaptureReport(capture: detail, hasEvents: events).text)
            }
        }
    }
}
