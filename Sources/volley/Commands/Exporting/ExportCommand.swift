import ArgumentParser
import CaptureModel
import Dispatch
import PhotoExport
import PhotoRetrieval
import Programs
import RigProtocol

/// `volley export`.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Arranges photos in a folder as the next program takes them.",
        discussion: """
            With --library, originals are linked from there, and copied where they cannot be; else they are fetched from the \
            coordinator into FOLDER/originals first. The same command again adds what is new. What each file is made of \
            is in \(ExportManifest.name), and SHA256SUMS is for `sha256sum -c`. What a capture lacks is said; exit status: \
            1 if a photo could not be exported.
            """)

    @OptionGroup var questions: QuestionOptions
    @OptionGroup var choice: PhotoChoice
    @Argument(help: "The folder, which is made where it is missing.", completion: .directory) var folder: String
    @Option(
        help: ArgumentHelp(
            "What it is for: \(ExportLayout.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "layout"))
    var to: ExportLayout
    @Option(help: "The names of --to files; fields are \(FileTemplate.fields).") var template: String?
    @Flag(help: "Refuse captures that lack a photo, before anything is written.") var complete = false
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
        let former = try Exporter.manifest(in: folder, to, template)
        let interrupt = CaptureWaiter.onInterrupt { "What is there stays; the same command goes on." }
        defer { interrupt.cancel() }
        try await questions.ask { answers in
            let order = try await ExportOrder(choice, answers, folder: folder)
            order.tellGaps()
            if complete, !order.gaps.isEmpty {
                throw ExportPlan.Problem(message: "Nothing was exported: --complete takes captures that lack nothing.")
            }
            let plan = try ExportPlan(order.photos, adding: former)
            if dryRun { return try tell(ExportReport(folder, to), would: plan) }
            var exporter = try Exporter(folder: folder, layout: to, template: template)
            try exporter.begin(plan)
            var report = ExportReport(folder, to)
            report.gaps = order.gaps
            try await fetch(order, answers, &report)
            try place(plan, &exporter, &report)
            try tell(report, would: nil)
        }
    }

    /// Brings originals from another machine.
    private func fetch(_ order: ExportOrder, _ answers: Answers, _ report: inout ExportReport) async throws {
        guard case .coordinator(let client) = answers else { return }
        let fetch = PhotoFetch(client: client, folder: order.originals)
        var (done, bar) = (0, ProgressBar())
        defer { bar.finish() }
        try await fetch.fetch(order.found) { photo, outcome in
            done += 1
            bar.show(done, of: order.found.count, "fetched")
            if case .failed(let message) = outcome { report.fail(photo.id, message) }
        }
    }

    private func place(_ plan: ExportPlan, _ exporter: inout Exporter, _ report: inout ExportReport) throws {
        var bar = ProgressBar()
        defer { bar.finish() }
        // What is there is in the manifest even where the disk has become full.
        defer { try? exporter.finish() }
        for entry in plan.entries where !report.hasFailed(entry.photo) {
            report.note(entry.photo, try exporter.place(entry))
            bar.show(report.count, of: plan.entries.count, "exported")
        }
        try exporter.finish()
    }

    private func tell(_ report: ExportReport, would plan: ExportPlan?) throws {
        if json { try Output.json(plan.map { report.planned($0) } ?? report) }
        if let plan {
            let paths = plan.entries.map { "\(folder)/\($0.path)" }
            if !json, !paths.isEmpty { Output.data(paths.joined(separator: "\n")) }
            return Output.words("\(Sentences.count(plan.entries.count, "photo")) would be exported to \(folder).")
        }
        for line in report.failureLines { Output.words(line) }
        if !json { Output.words(report.words) }
        if !report.failures.isEmpty { throw ExitCode(ExitStatus.failed) }
    }
}

extension ExportLayout: ExpressibleByArgument {}
