import ArgumentParser
import CaptureModel

/// `volley reject`.
struct RejectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reject", abstract: "Marks captures or photos as not to be used.",
        discussion: "Nothing is deleted. With --node, --step or --format it is said of photos.")

    @Argument(help: Chosen.help) var capture: Chosen
    @Flag(help: "Take the mark away.") var undo = false
    @OptionGroup var target: KeepingTarget

    func validate() throws {
        try target.validate(capture)
    }

    func run() async throws {
        var annotation = Annotation()
        annotation.isRejected = !undo
        try await target.say(annotation, of: capture)
    }
}
