import ArgumentParser
import CaptureModel

/// `volley label`.
struct LabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label", abstract: "Gives captures labels, or takes them away.")

    @Argument(help: Chosen.help) var capture: Chosen
    @Argument(help: "KEY=VALUE.") var labels: [String] = []
    @Option(name: .customLong("remove"), help: "The KEY of a label that is taken away; may be repeated.")
    var removed: [String] = []
    @OptionGroup var target: KeepingTarget

    func validate() throws {
        try target.validate(capture)
        guard !labels.isEmpty || !removed.isEmpty else { throw ValidationError("Give KEY=VALUE, or --remove KEY.") }
        _ = try parseLabels(labels)
    }

    func run() async throws {
        var annotation = Annotation()
        annotation.labels = labels.isEmpty ? nil : try parseLabels(labels)
        annotation.removedLabels = removed.isEmpty ? nil : removed
        try await target.say(annotation, of: capture)
    }
}
