import ArgumentParser
import CaptureModel
import Foundation
import Glibc
import Logging
import NodeAgent
import PhotoCapture
import Posix
import Programs
import RigClock
import RigConfiguration
import RigMembership
import RigTransport
import Spool
import ZeroMQ

/// `volley-node --config FILE`: the node agent.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the node agent (the default).",
        discussion: "Each option can be set in the configuration file, as VOLLEY_* in the environment, or here; "
            + "what is given here wins.")

    @OptionGroup var cameraOptions: CameraOptions
    @Option(help: "The node's name: letters, digits, - and _; default: the host's.") var name: String?
    @Option(help: "HOST[:PORT] of the coordinator; default: volley.local.") var coordinator: String?
    @Option(help: "This node's secret key file; default: node.key in the spool, made at the first start.")
    var key: String?
    @Option(help: "The coordinator's public key file; default: coordinator.pub in the spool, kept there at joining.")
    var coordinatorKey: String?
    @Option(help: "A join code, with which the node admits itself; without one an operator has to admit it.")
    var join: String?
    @Option(help: "The folder that keeps photos until they are stored.") var spool: String?
    @Option(help: "The most that the spool may take, in MiB; default: all of its file system.")
    var spoolLimit: String?
    @Option(
        help: "probe (the default), or system if PTP or chrony disciplines this board's clock and the coordinator's.")
    var clock: String?
    @Option(help: "Which of /sys/class/leds `volley nodes identify` has blink; default: the usual one.")
    var light: String?
    @Option(help: "trace, debug, info, notice, warning or error.") var logLevel: String?

    func run() async throws {
        try await Output.reporting {
            let program = try NodeProgram(try settings())
            if let card = cameraOptions.node.card, access(card, F_OK) != 0 { program.note("there is no card \(card)") }
            try await program.run()
        }
    }

    private func settings() throws -> Settings {
        try cameraOptions.settings(flags: [
            "name": name, "coordinator": coordinator, "key": key, "coordinatorKey": coordinatorKey, "join": join,
            "spool": spool,
            "spoolLimit": spoolLimit, "clock": clock, "light": light, "logLevel": logLevel,
        ])
    }
}

/// Composes and runs a node from its settings.
private struct NodeProgram {
    private let name: NodeName
    private let address: Address
    private let keys: CurveKeyPair
    /// Nil where the node keeps what it learns at joining.
    private let coordinatorKey: CurvePublicKey?
    private let joinCode: JoinCode?
    private let spoolPath: String
    private let spoolLimit: Int64?
    private let logger: Logger
    private let openCamera: NodeService.CameraFactory
    private let profiles: FileProfileStore
    private let clock: any ClockEstimator
    private let light: String?

    init(_ settings: Settings) throws {
        guard
            let name = try settings.value("name", wanted: "1 to 64 letters, digits, - and _", { NodeName($0) })
                ?? Self.hostName
        else {
            throw ConfigurationError(
                place: "name", message: "give one: the host's name has something else than letters, digits, - and _")
        }
        address = try NodeOptions.coordinator(settings)
        self.name = name
        spoolPath = try settings.requiredText("spool")
        spoolLimit = try settings.integer("spoolLimit", in: 1...(1 << 30)).map { Int64($0) << 20 }
        let level = try settings.value("logLevel", wanted: "a log level", { Logger.Level(rawValue: $0) }) ?? .info
        var logger = Logger.daemon("volley-node", level: level)
        logger[metadataKey: "node"] = "\(name)"
        self.logger = logger
        clock =
            try settings.value("clock", wanted: "probe or system") { text -> (any ClockEstimator)? in
                switch text {
                case "probe": HullFilter()
                case "system": SystemClock()
                default: nil
                }
            } ?? HullFilter()
        light = settings.text("light")
        openCamera = try CameraName.factory(settings)
        profiles = FileProfileStore(folder: NodeOptions.profileFolder(settings))
        if let path = settings.text("key") {
            keys = try KeyFile.load(path)
        } else {
            try PosixFileSystem().makeFolders(spoolPath)
            keys = try KeyFile.loadOrGenerate(spoolPath + "/node.key")
        }
        coordinatorKey = try settings.text("coordinatorKey").map(KeyFile.loadPublic)
        joinCode = try settings.value("join", wanted: "a join code of 25 letters and digits", { JoinCode($0) })
    }

    /// The host's name without its domain; nil where a node cannot have it.
    private static var hostName: NodeName? { NodeName(HostName.current.prefix { $0 != "." }) }

    func note(_ text: String) { logger.debug("\(text)") }

    func run() async throws {
        let spool = try Spool(root: spoolPath, byteLimit: spoolLimit)
        if spool.isNew { logger.notice("spool \(spoolPath) is new") }
        let manager = ServiceManager()
        manager.ready()
        let coordinatorKey = if let coordinatorKey { coordinatorKey } else { try await membership(manager) }
        let link = try NodeSockets(
            context: Context(), keys: keys, coordinatorKey: coordinatorKey, host: address.host, port: address.port
        ) { MonotonicTime(nanoseconds: Clocks.monotonicNanoseconds()) }
        let node = NodeService(
            name: name, link: link, spool: spool, software: "Volley", logger: logger, profiles: profiles,
            clock: clock, light: light, folder: spoolPath, cameraLimit: manager.watchdogInterval ?? .seconds(30),
            openCamera: openCamera,
            onStatus: { manager.status($0) }
        ) { manager.watchdog() }
        logger.info("node \(name), looking for the coordinator at \(address)")
        try await DaemonService {
            try await node.run()
        } stop: {
            manager.stopping()
            await node.stop()
        }.runUntilSignal(logger: logger)
    }

    /// The key of the coordinator that the node has joined; joins first where it has none, or a code that is new.
    private func membership(_ manager: ServiceManager) async throws -> CurvePublicKey {
        let kept = JoinedRig(folder: spoolPath)
        let former = try kept.key()
        if let former, joinCode.map(kept.isNew) != true { return former }
        let state = joinCode.map { "with join code \($0.id)" } ?? "as nobody gave it a join code"
        logger.notice("node \(name) asks \(address) to join, \(state)")
        // A name may take longer to look up than a watchdog waits.
        let feeding = Task {
            while !Task.isCancelled {
                manager.watchdog()
                try? await Task.sleep(for: .seconds(1))
            }
        }
        defer { feeding.cancel() }
        // A node that has a rig goes on there, if the new code does not let it in elsewhere.
        let joined = try await OSThread.run(name: "join") { [address, keys, name, joinCode, logger] in
            var said = ""
            var joiner = Joiner(
                host: address.host, port: address.port, key: keys.publicKey, name: name, code: joinCode)
            return try joiner.run(turns: former == nil ? .max : 5) { words in
                manager.status(words)
                if words != said { logger.notice("\(words)") }
                said = words
            }
        }
        guard let joined else {
            guard let former else { preconditionFailure("a node without a rig asks for ever") }
            logger.warning("node \(name) did not join with its new join code; it goes on where it is")
            return former
        }
        try kept.keep(joined.coordinator, code: joinCode)
        logger.notice(
            "node \(name) belongs to the rig of \(address) from now on, as \(joined.name); its words were \(joined.words)"
        )
        return joined.coordinator
    }
}
