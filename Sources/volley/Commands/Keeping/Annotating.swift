import ArgumentParser
import CaptureModel
import Programs
import RigProtocol
import RigTransport

/// Of which captures or photos something is said.
struct AnnotationTarget: ParsableArguments {
    @OptionGroup var rig: RigOptions
    @OptionGroup var choice: CaptureChoice
    @Option(
        name: .customLong("node"), help: "Photos of this node, or of top-*, rather than the capture; may be repeated.")
    var nodes: [NodePattern] = []
    @Option(name: .customLong("step"), help: "Photos of this step, rather than the capture; may be repeated.")
    var steps: [Int] = []
    @Option(name: .customLong("format"), help: "Photos in this format, rather than the capture; may be repeated.")
    var formats: [PhotoFormat] = []
    @Flag(help: "Print one JSON document.") var json = false

    private var isOfPhotos: Bool { !nodes.isEmpty || !steps.isEmpty || !formats.isEmpty }

    func validate(_ capture: Chosen) throws {
        let chosen = try choice.filter()
        switch capture {
        case .all where chosen == CaptureFilter():
            throw ValidationError("all takes options that say which captures: --session, --since, --label...")
        case .one where chosen != CaptureFilter():
            throw ValidationError("Name a capture, or say all with options that choose several; not both.")
        case .all, .one: break
        }
        if let step = steps.first(where: { $0 < 1 }) { throw ValidationError("Steps begin with 1, not \(step).") }
    }

    /// Has it written down, and says of how many.
    func say(_ annotation: Annotation, of capture: Chosen) async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var filter = PhotoFilter()
            filter.captures = try choice.filter()
            if case .one(let reference) = capture {
                filter.captures.digits = try await reference.resolve(.coordinator(client)).description
            }
            (filter.nodes, filter.steps, filter.formats) = (nodes, steps, formats)
            let reply = try await client.ask(
                AnnotateRequest(filter: filter, isOfPhotos: isOfPhotos, annotation: annotation), seconds: 60)
            if json { return try Output.json(reply) }
            let captures = Sentences.count(reply.captureCount, "capture")
            let what = reply.photoCount > 0 ? "\(Sentences.count(reply.photoCount, "photo")) of \(captures)" : captures
            Output.words("\(what): \(annotation.words.printableLine).")
        }
    }
}

/// One capture, or all that options choose.
enum Chosen: ExpressibleByArgument, Hashable {
    static let help: ArgumentHelp =
        "The capture's uniqueID, digits with which it begins or ends, last, or all that the options choose."

    case one(CaptureReference)
    case all

    static var defaultCompletionKind: CompletionKind { Completions.captures }

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let reference = CaptureReference(argument: argument) {
            self = .one(reference)
        } else {
            return nil
        }
    }
}
