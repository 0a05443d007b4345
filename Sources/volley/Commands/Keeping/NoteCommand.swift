import ArgumentParser
import CaptureModel

/// `volley note`.
struct NoteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "note", abstract: "Writes a note to captures or photos.",
        discussion: "With --node, --step or --format it is said of photos.")

    @Argument(help: Chosen.help) var capture: Chosen
    @Argument(help: "The note, in place of a former one; '' takes it away.") var note: String
    @OptionGroup var target: KeepingTarget

    func validate() throws {
        try target.validate(capture)
    }

    func run() async throws {
        var annotation = Annotation()
        annotation.note = note
        try await target.say(annotation, of: capture)
    }
}
