import ArgumentParser
import CaptureModel
import Programs

/// `volley show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows everything about one capture.")

    @OptionGroup var questions: QuestionOptions
    @Argument(help: CaptureReference.help) var capture: CaptureReference
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let detail = try await questions.ask { try await $0.capture(capture) }
            if json { try Output.json(detail) } else { Output.data(CaptureReport(capture: detail).text) }
        }
    }
}
