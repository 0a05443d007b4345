import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import RigProtocol
import Synchronization

/// `volley demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs a whole rig on this machine and fires one capture.",
        discussion: "A coordinator and its nodes as real processes on loopback, with keys made on the spot.")

    @Option(help: "So many nodes with simulated cameras.") var nodes = 4
    @Option(name: .customLong("camera"), help: "A node with this camera instead; may be given again.")
    var cameras: [String] = []
    @Option(help: "The plan; default: a 3-step automatic bracket in JPEG and DNG.") var plan: String?
    @Option(help: "The library; default: volley-demo in this folder.") var library = "volley-demo"
    @Flag(help: "One JSON document.") var json = false

    /// What `--json` prints.
    private struct Document: Encodable {
        let uniqueID: UniqueID
        let state: CaptureState
        let reason: String?
        let library: String
        let nodeCount: Int
        let expectedPhotoCount: Int
        let storedPhotoCount: Int
    }

    func validate() throws {
        guard (1...64).contains(nodes) else { throw ValidationError("A demo has 1 to 64 nodes.") }
    }

    func run() async throws {
        try await Output.reporting {
            let plan = try plan.map(readPlan) ?? Self.defaultPlan
            let names = cameras.isEmpty ? (1...nodes).map { "simulated:\($0)" } : cameras
            let path = URL(fileURLWithPath: library).path
            let detail = try await Self.interruptible {
                try await DemoRig(cameras: names, library: path).run(plan)
            }
            let summary = detail.summary
            if json {
                try Output.json(
                    Document(
                        uniqueID: summary.uniqueID, state: summary.state, reason: summary.reason, library: path,
                        nodeCount: summary.nodeCount, expectedPhotoCount: summary.expectedPhotoCount,
                        storedPhotoCount: summary.storedPhotoCount))
            } else {
                Output.data(CaptureReport(capture: detail).text)
                Output.data("\nThe photos are in \(path)/photos; ask again with:")
                Output.data("  volley show --library \(path) \(summary.uniqueID)")
            }
            try summary.state.exit()
        }
    }

    /// Runs the rig until it is done or a signal asks for the end; either way it leaves no daemon and no key behind.
    private static func interruptible(
        _ body: @escaping @Sendable () async throws -> CaptureDetail
    ) async throws -> CaptureDetail {
        let interrupted = Interruption()
        let task = Task { try await body() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                interrupted.set()
                task.cancel()
            }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        do {
            return try await task.value
        } catch {
            // A Ctrl-C reaches the whole group: whatever failed then, failed because of it.
            if interrupted.isSet || error is CancellationError {
                Output.words("volley demo: interrupted; the rig was stopped")
                throw ExitCode(130)
            }
            guard let failure = error as? DemoRig.Failure else { throw error }
            Output.words("volley demo: \(failure.message)")
            throw ExitCode(failure.exitCode)
        }
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

/// Whether a signal came.
private final class Interruption: Sendable {
    private let flag = Atomic(false)
    var isSet: Bool { flag.load(ordering: .relaxed) }
    func set() { flag.store(true, ordering: .relaxed) }
}
