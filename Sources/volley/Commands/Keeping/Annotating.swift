import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// Which captures or photos are meant.
struct KeepingTarget: ParsableArguments {
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

    var isOfPhotos: Bool { !nodes.isEmpty || !steps.isEmpty || !formats.isEmpty }

    func validate(_ capture: Chosen) throws {
        try choice.validate(capture)
        if let step = steps.first(where: { $0 < 1 }) { throw ValidationError("Steps begin with 1, not \(step).") }
    }

    /// What is meant.
    func filter(_ capture: Chosen, _ answers: Answers) async throws -> PhotoFilter {
        var filter = PhotoFilter()
        filter.captures = try await choice.filter(capture, answers)
        (filter.nodes, filter.steps, filter.formats) = (nodes, steps, formats)
        return filter
    }

    /// Has it written down, and says of how many.
    func say(_ annotation: Annotation, of capture: Chosen) async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let filter = try await filter(capture, .coordinator(client))
            let reply = try await client.ask(
                AnnotateRequest(filter: filter, isOfPhotos: isOfPhotos, annotation: annotation), seconds: 60)
            if json { return try Output.json(reply) }
            let captures = Sentences.count(reply.captureCount, "capture")
            let what = reply.photoCount > 0 ? "\(Sentences.count(reply.photoCount, "photo")) of \(captures)" : captures
            Output.words("\(what): \(annotation.words.printableLine).")
        }
    }
}

extension CaptureChoice {
    /// - Parameter isAny: whether all may be all that there are.
    func validate(_ capture: Chosen, isAny: Bool = false) throws {
        let chosen = try filter()
        switch capture {
        case .all where chosen == CaptureFilter() && !isAny:
            throw ValidationError("all takes options that say which captures: --session, --since, --label...")
        case .one where chosen != CaptureFilter():
            throw ValidationError("Name a capture, or say all with options that choose several; not both.")
        case .all, .one: break
        }
    }

    /// The captures that are meant.
    func filter(_ capture: Chosen, _ answers: Answers) async throws -> CaptureFilter {
        var filter = try filter()
        if case .one(let reference) = capture { filter.digits = try await reference.resolve(answers).description }
        return filter
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
