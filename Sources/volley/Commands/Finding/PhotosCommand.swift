import ArgumentParser
import CaptureModel
import Foundation
import Programs

/// `volley photos`.
struct PhotosCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "Lists photos: the paths of their files, one a line.",
        discussion: """
            Paths are those on the coordinator's machine. Photos that are still to come, and those that failed, have none: \
            --long lists them as well.
            """)

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: CaptureChoice
    @Option(help: "Only photos of this capture: its uniqueID, digits with which it begins or ends, or last.")
    var capture: CaptureReference?
    @Option(name: .customLong("node"), help: "Only photos of this node, or of top-*; may be repeated.")
    var nodes: [NodePattern] = []
    @Option(name: .customLong("step"), help: "Only photos of this step, 1 for the first; may be repeated.")
    var steps: [Int] = []
    @Option(name: .customLong("format"), help: "Only photos in this format; may be repeated.")
    var formats: [PhotoFormat] = []
    @Option(
        name: .customLong("state"), help: "Only photos that are so; may be repeated. Default without --long: stored.")
    var states: [PhotoState] = []
    @Option(help: "Only photos that were found to be so.") var verification: VerificationWord?
    @OptionGroup var opinion: OpinionChoice
    @Option(help: "At most this many, up to 10000.") var limit = 1000
    @Flag(help: "Print a table with state, exposure and verification.") var long = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        _ = try choice.filter()
        if let step = steps.first(where: { $0 < 1 }) { throw ValidationError("Steps begin with 1, not \(step).") }
    }

    func run() async throws {
        try await Output.reporting {
            let (found, library) = try await questions.ask { answers in
                var filter = PhotoFilter()
                filter.captures = try choice.filter()
                filter.captures.digits = try await capture?.resolve(answers).description
                (filter.nodes, filter.steps, filter.formats) = (nodes, steps, formats)
                filter.states = states.isEmpty && !long && !json ? [.stored] : states
                (filter.minRating, filter.isRejected) = (opinion.minRating, opinion.isRejected)
                (filter.verification, filter.limit) = (verification?.rawValue, limit)
                return try await answers.photos(filter)
            }
            if json { return try Output.json(found.items) }
            if long {
                Output.data(Self.table(found.items).text)
            } else {
                let paths = found.items.compactMap(\.photo.path)
                if !paths.isEmpty { Output.data(paths.map { "\(library)/\($0)" }.joined(separator: "\n")) }
            }
            if found.items.isEmpty {
                Output.words((["No photo is like that."] + found.remarks).joined(separator: " ").printableLine)
            }
            if let shortfall = found.shortfall { Output.words(shortfall) }
        }
    }

    private static func table(_ photos: [FoundPhoto]) -> Table {
        var table = Table([
            "CAPTURE", "NODE", "STEP", "FORMAT", "STATE", "EXPOSURE", "BRIGHTNESS", "VERIFICATION", "RATING", "FILE",
        ])
        for found in photos {
            let record = found.photo.record
            table.add([
                "\(found.uniqueID)", found.photo.node.rawValue, "\(record.sequenceCount)", record.format.rawValue,
                found.state.rawValue, Sentences.exposure(record.requested.duration, record.requested.iso),
                record.brightness.map { String(format: "%.3f", $0) } ?? "", record.verification?.name ?? "",
                Sentences.opinion(found.photo.rating, found.photo.isRejected),
                found.photo.path ?? record.error?.message ?? "",
            ])
        }
        return table
    }
}
