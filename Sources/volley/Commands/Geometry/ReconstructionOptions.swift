import ArgumentParser
import CaptureModel
import Foundation
import PhotoExport
import Programs
import RigTransport

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
    }

    /// Asks, reconstructs, and removes what lay in between, also on Ctrl-C.
    func run(_ body: (Answers) async throws -> Void) async throws {
        try await Output.reporting {
            // COLMAP gets the same signal, and ends.
            let isInterrupted = try await Interruptible.run(stop: {}) { try await questions.ask(body) }
            if isInterrupted { throw ExitCode(ExitStatus.interrupted) }
        }
    }

    /// What a reconstruction says of the cameras of a capture; photos and nodes that are left out are said.
    func reconstruct(_ capture: CaptureDetail, _ answers: Answers) async throws -> RigReconstruction {
        let id = capture.summary.uniqueID
        let cameras = capture.nodes.cameraIdentities.filter { node, _ in
            nodes.isEmpty || nodes.contains { $0.matches(node) }
        }
        let placed =
            if let model { try COLMAPModel(folder: model) } else { try await run(capture, answers) }
        let found = RigReconstruction(placed, of: id, cameras: cameras)
        guard found.cameras.count > 1 else {
            throw ExportPlan.Problem(
                message: model.map { "\($0) has no two photos of capture \(id); was it made of an export for COLMAP?" }
                    ?? "COLMAP placed less than two cameras of capture \(id).")
        }
        return found
    }

    private func run(_ capture: CaptureDetail, _ answers: Answers) async throws -> COLMAPModel {
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
        let files = try await order.place(as: wanted, links: true, nil, answers, &report)
        for line in PhotoFailure.lines(report.failures) { Output.words(line) }
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
