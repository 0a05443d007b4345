import ArgumentParser
import CaptureModel
import Documents
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
    @OptionGroup var choice: PhotoChoice
    @Option(
        name: .customLong("state"), help: "Only photos that are so; may be repeated. Default without --long: stored.")
    var states: [PhotoState] = []
    @Option(help: "At most this many, up to 10000.") var limit = RowLimit(1000)
    @Flag(help: "Print a table with state, exposure and verification.") var long = false
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let (found, library) = try await questions.ask { answers in
                var filter = try await choice.filter(answers)
                filter.states = states.isEmpty && !long ? [.stored] : states
                filter.limit = limit.count
                return try await answers.photos(filter)
            }
            if json { return try Output.json(found.items.map { PhotoDocument($0) }) }
            if long {
                Output.report(Self.table(found.items).text)
            } else {
                let paths = found.items.compactMap { $0.photo.path ?? $0.photo.trashPath }
                if !paths.isEmpty { Output.data(paths.map { "\(library)/\($0)" }.joined(separator: "\n")) }
            }
            if found.items.isEmpty {
                Output.words((["No photo matches."] + found.remarks).joined(separator: " ").printableLine)
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
                found.state.rawValue,
                Sentences.exposure(record.requested.duration, record.requested.iso, record.requested.gain),
                record.brightness.map { String(format: "%.3f", $0) } ?? "", record.verification?.name ?? "",
                Sentences.opinion(found.photo.rating, found.photo.isRejected),
                found.photo.path ?? record.error?.message ?? "",
            ])
        }
        return table
    }
}
