import ArgumentParser
import CaptureModel
import Daemon
import Foundation
import Logging
import NodeAgent
import PhotoCapture
import PhotoStore
import Posix
import RigConfiguration
import RigTransport
import SimulatedCamera
import V4L2Camera
import Video4Linux
import ZeroMQ

/// The node agent: one camera, headless.
@main
struct VolleyNode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-node",
        abstract: "Runs one camera of a rig, and keeps its photos until the coordinator has them.",
        discussion: "Each option can stand in the configuration file, in VOLLEY_* of the environment, or here; "
            + "what stands here wins.")

    @Option(help: "The YAML configuration.") var config: String?
    @Option(help: "The node's name: letters, digits, - and _.") var name: String?
    @Option(help: "simulated:SEED or v4l2:DEVICE (a path, by-id, by-path or serial).") var camera: String?
    @Option(help: "HOST[:PORT] of the coordinator.") var coordinator: String?
    @Option(help: "This node's secret key file.") var key: String?
    @Option(help: "The coordinator's public key file.") var coordinatorKey: String?
    @Option(help: "The folder that keeps photos until they are stored.") var spool: String?
    @Option(help: "trace, debug, info, notice, warning or error.") var logLevel: String?

    func run() async throws {
        do {
            try await NodeProgram(try settings()).run()
        } catch let error as ConfigurationError {
            exit(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            exit(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as SystemError where error.call == "flock" {
            exit(ExitStatus.tryAgain, "\(error.subject): another node has this spool; stop it first")
        } catch let error as SystemError {
            exit(ExitStatus.notAllowed, error)
        }
    }

    private func exit(_ status: Int32, _ error: some CustomStringConvertible) -> Never {
        FileHandle.standardError.write(Data("volley-node: \(error)\n".utf8))
        Foundation.exit(status)
    }

    private func settings() throws -> Settings {
        try Settings(
            known: [
                "name", "camera", "coordinator", "key", "coordinatorKey", "spool", "logLevel", "format.pixelFormat",
                "format.width", "format.height", "format.frameRate",
            ], file: try config.map(ConfigurationFile.read), environment: ProcessInfo.processInfo.environment,
            flags: [
                "name": name, "camera": camera, "coordinator": coordinator, "key": key,
                "coordinatorKey": coordinatorKey, "spool": spool, "logLevel": logLevel,
            ])
    }
}

/// Composes and runs a node from its settings.
private struct NodeProgram {
    private let name: NodeName
    private let address: Address
    private let keys: CurveKeyPair
    private let coordinatorKey: CurvePublicKey
    private let spoolPath: String
    private let logger: Logger
    private let openCamera: NodeService.CameraFactory

    init(_ settings: Settings) throws {
        _ = try settings.requiredText("name")
        guard
            let name = try settings.value(
                "name", wanted: "1 to 64 letters, digits, - and _", { NodeName($0) }),
            let address = try settings.value(
                "coordinator", wanted: "HOST or HOST:PORT",
                { Address($0, defaultPort: Address.defaultPort) })
                ?? Address("127.0.0.1", defaultPort: Address.defaultPort)
        else { preconditionFailure("required settings were checked") }
        self.name = name
        self.address = address
        keys = try KeyFile.load(try settings.requiredText("key"))
        coordinatorKey = try KeyFile.loadPublic(try settings.requiredText("coordinatorKey"))
        spoolPath = try settings.requiredText("spool")
        let level = try settings.value("logLevel", wanted: "a log level", { Logger.Level(rawValue: $0) }) ?? .info
        logger = Logger.daemon("volley-node", level: level)
        openCamera = try CameraName.factory(settings)
    }

    func run() async throws {
        let spool = try Spool(root: spoolPath)
        let link = try NodeSockets(
            context: Context(), keys: keys, coordinatorKey: coordinatorKey, host: address.host, port: address.port
        ) { MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()) }
        let manager = ServiceManager()
        let node = NodeService(
            name: name, link: link, spool: spool, software: "Volley", logger: logger, openCamera: openCamera
        ) { manager.watchdog() }
        logger.info("node \(name), looking for the coordinator at \(address)")
        manager.ready()
        try await DaemonService {
            try await node.run()
        } stop: {
            manager.stopping()
            await node.stop()
        }.runUntilSignal(logger: logger)
    }
}

/// A camera's name in a configuration.
private enum CameraName {
    static func factory(_ settings: Settings) throws(ConfigurationError) -> NodeService.CameraFactory {
        _ = try settings.requiredText("camera")
        let wanted = "simulated:SEED (a number) or v4l2:DEVICE"
        if let seed = try settings.value(
            "camera", wanted: wanted,
            { text -> UInt64?? in
                if text.hasPrefix("simulated:") { return UInt64(text.dropFirst(10)).map { .some($0) } }
                return text.hasPrefix("v4l2:") && text.count > 5 ? .some(nil) : nil
            }) ?? nil
        {
            return { SimulatedCamera(SimulatedCameraConfiguration(seed: seed)) }
        }
        var configuration = V4L2CameraConfiguration(device: String((settings.text("camera") ?? "").dropFirst(5)))
        configuration.pixelFormat = try settings.value("format.pixelFormat", wanted: "a code such as YUYV") {
            PixelFormat($0)
        }
        configuration.width = try settings.integer("format.width", in: 1...65_536)
        configuration.height = try settings.integer("format.height", in: 1...65_536)
        configuration.frameInterval = try settings.integer("format.frameRate", in: 1...1000).map {
            FrameInterval(numerator: 1, denominator: UInt32($0))
        }
        let complete = configuration
        return { () throws(CaptureError) in try V4L2Camera(complete) }
    }
}
