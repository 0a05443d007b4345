import ArgumentParser
import CaptureModel
import Foundation
import PhotoExport
import Programs
import RigTransport
import Synchronization

/// How captures are reconstructed.
struct ReconstructionOptions: ParsableArguments {
    @OptionGroup var questions: QuestionOptions
    @Option(
        help: ArgumentHelp(
            "COLMAP's model of the captures, exported --to colmap; default: COLMAP is run here.", valueName: "folder"))
    var model: String?
    @Option(help: "The step whose photos are taken, 1 for the first; default: that with the middle exposure.")
    var step: Int?
    @Option(name: .customLong("node"), help: "Only this node's camera, or those of top-*; may be repeated.")
    var nodes: [NodePattern] = []

    func validate() throws {
        if let step, step < 1 { throw ValidationError("Steps begin with 1, not \(step).") }
        if model != nil, step != nil { throw ValidationError("--model has its steps already; leave --step.") }
    }

    /// Whether somebody wants it to end.
    final class Interruption: Sendable {
        private let isWanted = Atomic(false)

        func ask() { isWanted.store(true, ordering: .relaxed) }
        func check() throws { if isWanted.load(ordering: .relaxed) { throw CancellationError() } }
    }

    /// Asks, reconstructs, and removes what lay in between, also on Ctrl-C, which COLMAP gets as well.
    func run(_ body: (Answers, Interruption) async throws -> Void) async throws {
        try await Output.reporting {
            let interruption = Interruption()
            let isInterrupted = try await Interruptible.run(stop: { interruption.ask() }) {
                try await questions.ask { try await body($0, interruption) }
            }
            if isInterrupted { throw ExitCode(ExitStatus.interrupted) }
        }
    }

    /// What a reconstruction says of the cameras of a capture; photos and nodes that are left out are said.
    func reconstruct(
        _ capture: CaptureDetail, _ answers: Answers, _ interruption: Interruption
    ) async throws -> RigReconstruction {
        let id = capture.summary.uniqueID
        let placed =
            if let model { try COLMAPModel(folder: model) } else { try await run(capture, answers, interruption) }
        try interruption.check()
        let chosen = capture.nodes.map(\.node).filter { node in nodes.isEmpty || nodes.contains { $0.matches(node) } }
        let found = RigReconstruction(placed, of: id, nodes: chosen, cameras: capture.nodes.cameraIdentities)
        guard found.cameras.count > 1 else {
            throw ExportPlan.Problem(
                message: model.map { "\($0) has no two photos of capture \(id); was it made of an export for COLMAP?" }
                    ?? "COLMAP placed less than two cameras of capture \(id).")
        }
        return found
    }

    private func run(
        _ capture: CaptureDetail, _ answers: Answers, _ interruption: Interruption
    ) async throws -> COLMAPModel {
        let program = try COLMAPProgram()
        let work = FileManager.default.temporaryDirectory.appendingPathComponent("volley-rig-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: work) }
        var filter = PhotoFilter()
        filter.captures.digits = "\(capture.summary.uniqueID)"
        (filter.nodes, filter.formats) = (nodes, [.jpeg])
        filter.steps = [step ?? capture.middleStep]
        let wanted = ExportManifest(layout: .colmap, format: .jpeg)
        let order = try await ExportOrder(filter, answers, folder: work + "/export", adding: wanted)
        order.tellGaps()
        var report = ExportReport(order.folder, .colmap)
        let files = try await order.place(as: wanted, links: true, nil, answers, &report).contents.files
        for line in PhotoFailure.lines(report.failures) { Output.words(line) }
        try interruption.check()
        guard files.count > 1 else {
            throw ExportPlan.Problem(
                message: "Capture \(capture.summary.uniqueID) has no two JPEGs of step \(filter.steps[0]).")
        }
        Output.words("\(program.name) reconstructs \(files.count) photos, which takes a minute or more...")
        return try await program.reconstruct(order.folder + "/images", in: work)
    }
}

extension CaptureDetail {
    /// The step that is neither the darkest nor the brightest.
    fileprivate var middleStep: Int {
        guard let ranks = plan?.bracket.ranks, let step = ranks.firstIndex(of: ranks.count / 2) else { return 1 }
        return step + 1
    }
}
