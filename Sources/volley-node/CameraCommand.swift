import ArgumentParser
import CaptureModel
import Documents
import NodeAgent
import PhotoCapture
import Posix
import Programs
import RigConfiguration
import RigProtocol

/// `volley-node camera`: the board's own camera, set by hand.
struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "Shows what this board's camera is set to, and sets it by hand for its node.",
        discussion: """
            What is set is kept in the node's spool, and set whenever the node is started. While the node runs, it has \
            the camera: then use `volley camera` from the rig. Camera and spool are those of \(NodeOptions.service), or \
            of the file given with --config.
            """,
        subcommands: [Show.self, Set.self, Meter.self, Focus.self, Reset.self], defaultSubcommand: Show.self)

    /// The options of all of them.
    struct Options: ParsableArguments {
        @OptionGroup var camera: CameraOptions
        @Option(help: "The node's folder for what is not yet with the coordinator.") var spool: String?
        @Flag(help: "Print one JSON document.") var json = false

        /// Carries out an order, and shows what the camera is set to then.
        func carryOut(_ act: CameraOrder.Act, _ settings: CameraSettings? = nil) async throws {
            try await Output.reporting {
                var camera = camera
                if camera.camera == nil { camera.node.takeService() }
                let given = try camera.settings(flags: ["spool": spool])
                // Only what is kept needs a folder.
                let folder = act == .show ? given.text("spool") : try given.requiredText("spool")
                let lock = try folder.map { folder in
                    try PosixFileSystem().makeFolders(folder)
                    return try PosixFileSystem().lock(folder)
                }
                defer { withExtendedLifetime(lock) {} }
                let local = try LocalCamera(given)
                try await local.running {
                    let state = try await Self.state(local.device, folder, act, settings)
                    if json { return try Output.json(CameraStateDocument(state)) }
                    Output.data(state.heading.printableLine)
                    for line in state.complaint { Output.data(line.printableLine) }
                    Output.report(state.table.text)
                }
            }
        }

        private static func state(
            _ device: CaptureDevice, _ folder: String?, _ act: CameraOrder.Act, _ settings: CameraSettings?
        ) async throws -> CameraState {
            // What is left out stays as the automatic has chosen it.
            _ = try await device.settledExposure()
            guard let folder else { return try await device.currentState() }
            let kept = KeptCamera(folder: folder)
            var problem: String?
            do { try await kept.restore(device) } catch { problem = "It is not set as it was by hand: \(error)" }
            var state = try await kept.carryOut(act, settings, on: device, isInForce: problem == nil)
            if act == .show { state.problem = state.problem ?? problem }
            return state
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows each property, and what it can be set to (the default).")
        @OptionGroup var options: Options

        func run() async throws { try await options.carryOut(.show) }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets properties, as PROPERTY=VALUE.", discussion: CameraSettings.help)
        @Argument(help: "What to set, as iso=200 exposureDuration=1/125.") var words: [String]
        @OptionGroup var options: Options

        func validate() throws { _ = try CameraSettings.typed(words) }

        func run() async throws { try await options.carryOut(.set, CameraSettings.typed(words)) }
    }

    struct Meter: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Meters once, and keeps the exposure that it finds.")
        @OptionGroup var options: Options

        func run() async throws { try await options.carryOut(.set, .meteringOnce) }
    }

    struct Focus: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Focuses once, and keeps the lens position that it finds.")
        @OptionGroup var options: Options

        func run() async throws { try await options.carryOut(.set, .focusingOnce) }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets it as it was before it was set by hand, and keeps nothing.")
        @OptionGroup var options: Options

        func run() async throws { try await options.carryOut(.reset) }
    }
}

extension CameraSettings {
    /// What was typed.
    fileprivate static func typed(_ words: [String]) throws -> CameraSettings {
        do { return try CameraSettings(words: words) } catch { throw ValidationError(error.description) }
    }
}
