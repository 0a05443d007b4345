import ArgumentParser
import CaptureModel
import Documents
import Programs
import RigConfiguration

/// `volley sessions`.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "Lists the sessions, the latest first, with what became of their captures.")

    @OptionGroup var questions: QuestionOptions
    @Option(parsing: .unconditional, help: "Count captures from this time on: \(TypedTime.examples).")
    var since: String?
    @Option(help: "At most this many.") var limit = RowLimit(50)
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { _ = try since.map(Instant.passed) }

    func run() async throws {
        try await Output.reporting {
            let since = try since.map(Instant.passed)
            let sessions = try await questions.ask { try await $0.sessions(since: since, limit: limit.count) }
            if json { return try Output.json(sessions.map { SessionDocument($0) }) }
            var table = Table(["SESSION", "CAPTURES", "INCOMPLETE", "PHOTOS", Sentences.zoned("FIRST"), "LAST"])
            for session in sessions {
                table.add([
                    session.session ?? "-", "\(session.captureCount)", "\(session.incompleteCount)",
                    "\(session.storedPhotoCount)/\(session.expectedPhotoCount)", Sentences.time(session.firstAt),
                    Sentences.time(session.lastAt),
                ])
            }
            Output.report(table.text)
        }
    }
}
