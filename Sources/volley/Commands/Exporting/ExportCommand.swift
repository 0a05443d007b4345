import ArgumentParser
import CaptureModel
import Catalogue
import Dispatch
import Foundation
import PhotoExport
import Programs
import RigProtocol
import RigTransport

/// `volley export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Arranges photos in a folder as the next program takes them.",
        discussion: """
            With --library, originals are linked from there, and copied where they cannot be; else they are fetched from the \
            coordinator into FOLDER/originals first. A linked file is the original itself: take --copy for a program that \
            changes files in place. Of several formats, one is exported (--to files takes all): the first of JPEG, TIFF and DNG, or --format. The \
            same command again adds what is new. What each file is made of is in \(ExportManifest.name), and SHA256SUMS is \
            for `sha256sum -c`. What a capture lacks is said; exit status: 1 if a photo could not be \
            exported, or there is none.
            """)

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: PhotoChoice
    @Argument(help: "The folder, which is made where it is missing.", completion: .directory) var folder: String
    @Option(
        help: ArgumentHelp(
            "What it is for: \(ExportLayout.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "layout"))
    var to: ExportLayout
    @Option(help: "The names of --to files; fields are \(FileTemplate.fields).") var template: String?
    @Flag(
        help: ArgumentHelp(
            "Of --to hdr: merge each bracket into one picture of 32 bits as well, \(BracketMerge.name), by pfstools. Of "
                + "others: one picture for each bracket instead of its photos, by enfuse."))
    var merge = false
    @Flag(help: "Refuse captures that lack a photo, before anything is written.") var complete = false
    @Flag(
        help: "Copy originals, so that a program may change what it is given; else they are linked where they can be.")
    var copy = false
    @Option(
        help: ArgumentHelp(
            "A version of the rig's geometry whose poses --to colmap and realityscan get, or none; default: what held then.",
            valueName: "version"))
    var poses = PoseChoice.held
    @Flag(help: "Say what would be exported, and write nothing.") var dryRun = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        let chosen = try choice.captures.filter()
        guard choice.capture != nil || chosen != CaptureFilter() else {
            throw ValidationError("Say which photos: --capture last, --session, --since...")
        }
        if to == .files, template == nil {
            throw ValidationError("--to files takes a --template, such as '{session}/{node}_{capture}_{step}.{ext}'.")
        }
        if to != .files, template != nil { throw ValidationError("--template is for --to files.") }
        if to != .files, choice.formats.count > 1 {
            throw ValidationError("--to \(to.rawValue) takes photos of one format; leave one --format.")
        }
        if case .version = poses, !to.carriesPoses {
            throw ValidationError("--to \(to.rawValue) carries no poses; colmap and realityscan do.")
        }
        if merge, to != .hdr, !choice.steps.isEmpty { throw ValidationError("--merge takes all steps; leave --step.") }
        if merge, choice.formats.contains(where: { $0 != .jpeg }) {
            throw ValidationError("--merge takes JPEGs; leave --format.")
        }
        do throws(ExportPlan.Problem) {
            if let template { _ = try FileTemplate(template) }
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() async throws {
        try await Output.reporting { try await export() }
    }

    private func export() async throws {
        // Before anything is asked.
        if let objection = libraryObjection(toFolder: folder) { throw ExportPlan.Problem(message: objection) }
        let former = try Exporter.manifest(in: folder, or: wanted(choice.formats.first))
        let interrupt = CaptureWaiter.onInterrupt { "What is there stays; the same command goes on." }
        defer { interrupt.cancel() }
        try await questions.ask { answers in
            let order = try await order(answers, adding: former)
            var report = ExportReport(folder, to)
            (report.gaps, report.unmerged) = (order.gaps, order.unmerged)
            // What cannot be leaves nothing behind.
            let wish = try ExportPlan(order.photos, adding: former)
            let fusion = isFused && !dryRun ? try BracketFusion() : nil
            let merger = merge && !isFused && !dryRun ? try BracketMerge(folder: folder) : nil
            defer { merger?.close() }
            if dryRun { return try tell(report, would: wish) }
            let geometry = try await order.geometry(poses, wish, answers)
            var exporter = try await order.place(
                as: wanted(order.format), links: !copy, fusion: fusion, geometry, answers, &report)
            await note(report, answers)
            try await merger?.merge(&exporter, &report)
            try exporter.end()
            tellChanges(former, exporter.contents)
            try tell(report, would: nil)
        }
    }

    /// What is to be exported, with what is said of it before; nothing, or less than is wanted, is refused.
    private func order(_ answers: Answers, adding former: ExportManifest) async throws -> ExportOrder {
        let filter = try await choice.leaving(answers)
        try await choice.tellRejected(filter, answers)
        let order = try await ExportOrder(filter, answers, folder: folder, adding: former, merged: isFused)
        order.tellGaps()
        guard !order.photos.isEmpty else {
            for line in order.unmerged { Output.words("Not merged: \(line)".printableLine) }
            throw ExportPlan.Problem(message: "Nothing was exported: \(try await order.emptiness(filter, answers))")
        }
        if to.isForModels, !isFused, case let count = order.exposuresOfBracket, count > 1 {
            Output.words(
                "All \(count) exposures of each bracket go to one model; for one picture of each, export into another folder "
                    + "with --step or --merge.")
        }
        if complete, !order.gaps.isEmpty {
            throw ExportPlan.Problem(message: "Nothing was exported: --complete takes captures that lack nothing.")
        }
        return order
    }

    /// What somebody may not expect of a folder that was there.
    private func tellChanges(_ former: ExportManifest, _ now: ExportManifest) {
        if to.carriesPoses, !former.files.isEmpty, former.geometryVersion != now.geometryVersion {
            func words(_ version: Int?) -> String { version.map { "poses of version \($0)" } ?? "no poses" }
            Output.words(
                "It carried \(words(former.geometryVersion)) before, and carries \(words(now.geometryVersion)) now.")
        }
        if !former.captures.isEmpty, now.captures != former.captures {
            Output.words("The folder holds photos of \(Sentences.count(now.captures.count, "capture")) now.")
        }
    }

    /// Whether brackets are exported instead of their photos.
    private var isFused: Bool { merge && to != .hdr }

    private func wanted(_ format: PhotoFormat?) -> ExportManifest {
        ExportManifest(layout: to, template: template, format: to == .files ? nil : format, isMerged: isFused)
    }

    /// Tells the catalogue, for each capture of which something is new here.
    private func note(_ report: ExportReport, _ answers: Answers) async {
        let place = "\(ProcessInfo.processInfo.hostName):\(URL(fileURLWithPath: folder).path)"
        let notes = report.newPhotos.sorted { $0.key < $1.key }.map { id, count in
            NoteExportRequest(uniqueID: id, layout: to.rawValue, place: place, photoCount: count)
        }
        do {
            switch answers {
            case .coordinator(let client):
                for note in notes { try await self.note(note, client) }
            case .catalogue(_, let library):
                guard !notes.isEmpty else { return }
                let catalogue = try Catalogue(annotating: library + "/catalogue.sqlite")
                for note in notes { try await catalogue.note(AuditEntry(note)) }
            }
        } catch {
            Output.words("The export is complete, but not in the catalogue's audit: \(error)".printableLine)
        }
    }

    /// The coordinator writes down only so much of an operator in a minute.
    private func note(_ note: NoteExportRequest, _ client: OperatorClient) async throws {
        var triesLeft = 12
        while true {
            do {
                _ = try await client.ask(note)
                return
            } catch OperatorClient.ClientError.refused(let refusal) where refusal.code == .tryAgain && triesLeft > 0 {
                triesLeft -= 1
                try await Task.sleep(for: .seconds(6))
            }
        }
    }

    private func tell(_ report: ExportReport, would plan: ExportPlan?) throws {
        if json { try Output.json(plan.map { report.planned($0) } ?? report) }
        if let plan {
            let paths = plan.entries.map { "\(folder)/\($0.path)" }
            if !json, !paths.isEmpty { Output.data(paths.joined(separator: "\n")) }
            for line in report.unmerged { Output.words("Cannot be merged: \(line)".printableLine) }
            return Output.words("\(Sentences.count(plan.entries.count, "photo")) would be exported to \(folder).")
        }
        for path in report.changed {
            Output.words("\(folder)/\(path) was changed by somebody, and is left as it is.".printableLine)
        }
        for line in report.unmerged { Output.words("Not merged: \(line)".printableLine) }
        for line in PhotoFailure.lines(report.failures) { Output.words(line) }
        if !json { Output.words(report.words) }
        if !report.failures.isEmpty || !report.unmerged.isEmpty { throw ExitCode(ExitStatus.failed) }
    }
}

extension AuditEntry {
    /// The same as a coordinator would write it, of whoever is logged in here.
    fileprivate init(_ note: NoteExportRequest) {
        let user = NodeName(rawValue: ProcessInfo.processInfo.userName) ?? AuditEntry.unknown
        self.init(
            at: .now, user: user, key: nil, act: "export", subject: note.uniqueID.description, arguments: "",
            result: AuditEntry.done, message: note.words)
    }
}

/// Which poses an export gets.
enum PoseChoice: ExpressibleByArgument {
    case held
    case version(Int)
    case without

    init?(argument: String) {
        if argument == "none" {
            self = .without
        } else if let version = Int(argument), version > 0 {
            self = .version(version)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String { "" }
}

extension ExportLayout: ExpressibleByArgument {}
