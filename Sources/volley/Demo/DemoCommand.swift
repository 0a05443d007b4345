import ArgumentParser
import CaptureModel
import Documents
import Foundation
import Programs
import RigConfiguration
import RigProtocol

/// `volley demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs a whole rig on this machine and fires one capture.",
        discussion: "A coordinator and its nodes as real processes on loopback, with keys made on the spot.")

    @Option(help: "How many nodes with simulated cameras, which stand on a ring around a table, 15 degrees apart.")
    var nodes = 4
    @Option(name: .customLong("camera"), help: "Use a node with this camera instead; may be repeated.")
    var cameras: [String] = []
    @Option(help: "The plan; default: a 3-step automatic bracket in JPEG and DNG.") var plan: String?
    @Option(help: "The library; default: volley-demo in this folder.") var library = "volley-demo"
    @Option(help: "Where the cameras stand, exactly, is written into this file.") var truth: String?
    @Flag(help: "Keep the rig running until Ctrl-C, with a page for browsers, whose link is printed.")
    var console = false
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        if console, json { throw ValidationError("--json prints once, and --console stays; give one of them.") }
        guard (1...64).contains(nodes) else { throw ValidationError("A demo has 1 to 64 nodes.") }
    }

    func run() async throws {
        try await Output.reporting {
            let plan = try plan.map(PlanFile.read) ?? Self.defaultPlan
            let names = cameras.isEmpty ? ring : cameras
            let path = URL(fileURLWithPath: library).path
            let detail = try await Self.interruptible(isEnd: console) { [truth, console] in
                if let truth { try DemoRig.writeTruth(of: names, to: truth) }
                return try await DemoRig(cameras: names, library: path).run(plan, console: console)
            }
            let summary = detail.summary
            if json {
                var document = CaptureDocument(summary)
                document.library = path
                try Output.json(document)
            } else {
                Output.report(CaptureReport(capture: detail).text)
                Output.data("\nThe photos are in \(path)/photos; to see this again:")
                Output.data("  volley show --library \(path) \(summary.uniqueID)")
                let sheet = "\(path)/sheet-\(summary.uniqueID).jpg"
                try CaptureSheet(detail, library: path).write(to: sheet)
                Output.data("All of them on one page: \(sheet)")
            }
            try summary.state.exit()
        }
    }

    /// As one would build it: programs that match pictures join those that are up to 15 degrees apart.
    private var ring: [String] {
        let apart = min(15, 360 / Double(nodes))
        return (0..<nodes).map { "simulated:\($0 + 1)@\((Double($0) * apart * 1000).rounded() / 1000)" }
    }

    /// Runs the rig until it is done or a signal arrives; either way it leaves no daemon and no key behind.
    ///
    /// - Parameter isEnd: whether a signal is how it is to end.
    private static func interruptible(
        isEnd: Bool, _ body: @escaping @Sendable () async throws -> CaptureDetail
    ) async throws -> CaptureDetail {
        let task = Task { try await body() }
        do {
            // Ctrl-C reaches the whole process group: whatever fails then fails because of it.
            let isInterrupted = try await Interruptible.run(stop: { task.cancel() }) { _ = try await task.value }
            if !isInterrupted { return try await task.value }
            // It was to run until then, if it had come so far.
            if isEnd, let detail = try? await task.value { return detail }
        } catch let failure as DemoRig.Failure {
            Output.words("volley demo: \(failure.message)")
            throw ExitCode(failure.exitCode)
        }
        Output.words("volley demo: interrupted; the rig was stopped")
        throw ExitCode(ExitStatus.interrupted)
    }

    private static var defaultPlan: Plan {
        get throws {
            Plan(
                name: "demo",
                bracket: try Bracket([-2, 0, 2].map { .autoExposure(exposureTargetBias: .value($0)) }),
                formats: [.jpeg, .dng])
        }
    }
}
