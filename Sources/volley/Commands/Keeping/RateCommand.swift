import ArgumentParser
import CaptureModel

/// `volley rate`.
struct RateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Rates captures or photos, 1 to 5.",
        discussion:
            "With --node, --step or --format it is said of photos. It stands in the catalogue and beside the photos.")

    @Argument(help: Chosen.help) var capture: Chosen
    @Argument(help: "1 to 5, or 0 to take the rating away.") var rating: Int
    @OptionGroup var target: KeepingTarget

    func validate() throws {
        try target.validate(capture)
        guard (0...5).contains(rating) else {
            throw ValidationError("A rating is 1 to 5, or 0 for none, not \(rating).")
        }
    }

    func run() async throws {
        var annotation = Annotation()
        annotation.rating = rating
        try await target.say(annotation, of: capture)
    }
}
