import ArgumentParser
import CaptureModel

/// `volley rename`.
struct RenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Moves captures to another session or subject.",
        discussion: "A whole session: volley rename all --session old --to-session new")

    @Argument(help: Chosen.help) var capture: Chosen
    @Option(name: .customLong("to-session"), help: "The new session; '' for none.") var session: String?
    @Option(name: .customLong("to-subject"), help: "The new subject, of which each is the next take; '' for none.")
    var subject: String?
    @OptionGroup var target: KeepingTarget

    func validate() throws {
        try target.validate(capture)
        guard session != nil || subject != nil else {
            throw ValidationError("Give --to-session, --to-subject, or both.")
        }
    }

    func run() async throws {
        var annotation = Annotation()
        (annotation.session, annotation.subject) = (session, subject)
        try await target.say(annotation, of: capture)
    }
}
