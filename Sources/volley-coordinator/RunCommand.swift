import ArgumentParser
import CaptureModel
import Catalogue
import Coordinator
import Foundation
import Library
import LibraryCare
import Logging
import OperatorDesk
import Posix
import Programs
import RigConfiguration
import RigMembership
import RigProtocol
import RigRules
import RigTransport
import Synchronization
import ZeroMQ

/// `volley-coordinator --config FILE`: the coordinator.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the coordinator (the default).",
        discussion: "Each option can be set in the configuration file, as VOLLEY_* in the environment, or here; "
            + "what is given here wins.")

    /// What `listen` has to be.
    static let listenWanted = "an address alone; the port belongs in 'port'"

    @Option(help: "The YAML configuration.") var config: String?
    @Option(help: "The address to listen on; * for all. Default: 127.0.0.1.") var listen: String?
    @Option(help: "The first of five ports; 0 lets the system choose. Default: \(Address.defaultPort).")
    var port: String?
    @Option(help: "The folder for key, nodes and operators, where these are not given; made at the first start.")
    var state: String?
    @Option(help: "The coordinator's secret key file.") var key: String?
    @Option(help: "The folder with one NAME.pub per node.") var nodes: String?
    @Option(
        help: "The folder with one NAME.pub for each who may fire; beside it, of the state: watchers, administrators.")
    var operators: String?
    @Option(help: "The folder for photos and their catalogue.") var library: String?
    @Option(help: "trace, debug, info, notice, warning or error.") var logLevel: String?

    func run() async throws {
        try await CoordinatorOptions.reporting {
            let program = try CoordinatorProgram(try settings())
            try await program.run(doorAt: try program.mostDescriptors(limit: OpenFiles.raiseLimit()))
        }
    }

    private func settings() throws -> Settings {
        try CoordinatorOptions.settings(
            config: config,
            flags: [
                "listen": listen, "port": port, "state": state, "key": key, "nodes": nodes,
                "operators": operators, "library": library, "logLevel": logLevel,
            ])
    }
}

/// Composes and runs a coordinator from its settings.
private struct CoordinatorProgram {
    private let host: String
    private let port: Int
    private let keys: CurveKeyPair
    private let membership: Membership
    private let operators: Operators
    private let libraryPath: String
    private let groups: [NodeGroup]
    private let retention: Retention
    private let hooks: Hooks
    private let logger: Logger
    /// Two coordinators with the same nodes would undo each other's changes; nil where it cannot be had.
    private let nodesLock: (any FileLock)?
    private let trail = AuditTrail()
    private let reports = Reports()

    init(_ settings: Settings) throws {
        host = try settings.value("listen", wanted: RunCommand.listenWanted) { Address.host($0) } ?? "127.0.0.1"
        port = try settings.integer("port", in: 0...65_530) ?? Address.defaultPort
        // As operators are told of it, who run elsewhere.
        libraryPath = URL(fileURLWithPath: try settings.requiredText("library")).path
        groups = try settings.groups("groups")
        retention = Retention(
            trash: try settings.days("retention.trash"), rejected: try settings.days("retention.rejected"),
            captures: try settings.days("retention.captures"))
        let level = try settings.value("logLevel", wanted: "a log level", { Logger.Level(rawValue: $0) }) ?? .info
        let logger = Logger.daemon("volley-coordinator", level: level)
        hooks = try Hooks(settings, logger)
        func allowList(_ folder: String) throws -> AllowList {
            AllowList(folder: try Self.folder(folder, settings)) { logger.warning("\($0)") }
        }
        let nodes = try allowList("nodes")
        do throws(SystemError) {
            nodesLock = try PosixFileSystem().lock(nodes.folder)
        } catch {
            guard error.call != "flock" || error.errno != EWOULDBLOCK else { throw error }
            nodesLock = nil
            logger.warning("another coordinator could use \(nodes.folder) as well: \(error)")
        }
        if let path = settings.text("key") {
            keys = try KeyFile.load(path)
        } else {
            let state = try settings.requiredText("state")
            try PosixFileSystem().makeFolders(state)
            keys = try KeyFile.loadOrGenerate(state + "/coordinator.key")
        }
        let files = PosixFileSystem()
        let state = settings.text("state") ?? files.parent(of: nodes.folder)
        if let exposure = StateFolder(state).exposure() { throw ConfigurationError(place: "state", message: exposure) }
        operators = try Operators { role in
            switch role {
            case .watch: AllowList(folder: state + "/watchers")
            case .operate: try allowList("operators")
            case .administer: AllowList(folder: state + "/administrators")
            }
        }
        // Where folders are managed by hand, these may be missing.
        for folder in ["watchers", "administrators"] { try? files.makeFolders("\(state)/\(folder)") }
        // Strangers who ask must not keep anything else out of the log.
        let askings = Reports()
        membership = Membership(coordinator: keys.publicKey, nodes: nodes, state: state) { text in
            for line in askings.lines(text) { logger.notice("\(line)") }
        } onJoin: { [trail] node, key, code in
            logger.notice(
                "A board joined with join code \(code), and is node \(node) from now on.", metadata: ["node": "\(node)"]
            )
            trail.joined(node, key: key.text, code: code, at: Self.utc)
        }
        self.logger = logger
    }

    /// - Parameter mostDescriptors: with that many open nobody else is let in.
    func run(doorAt mostDescriptors: CInt) async throws {
        defer { withExtendedLifetime(nodesLock) {} }
        let library = try Library(root: libraryPath)
        let startedAt = Self.utc
        let catalogue = try openCatalogue(startedAt)
        // The inspection would refuse it as well, but after the sockets are open.
        try await LibraryInspection(library.folder, catalogue).refuseWithoutPhotos()
        if library.isNew { logger.notice("library \(libraryPath) is new") }
        let context = Context()
        // It serves before anything is bound.
        let handler = try ZAPHandler(context: context) { [logger, reports, trail, membership] refused in
            for line in reports.lines("\(refused)") { logger.warning("\(line)") }
            trail.turnedAway(
                key: refused.key.text, from: refused.address, domain: refused.domain,
                owner: membership.formerOwner(of: refused.key), at: Self.utc)
        } userID: { [membership, operators] domain, key in
            switch domain {
            case CoordinatorSockets.Domain.nodes: membership.name(of: key)?.rawValue
            case CoordinatorSockets.Domain.operators: operators.name(of: key)?.rawValue
            default: nil
            }
        }
        let door = Door(mostDescriptors: mostDescriptors) { [logger, reports] in
            let text =
                "turned connections away: \(mostDescriptors) files and connections are open, strangers' among them"
            let lines = reports.lines(text)
            // The clock's thread is not to wait for whoever reads the log.
            if !lines.isEmpty { Task { for line in lines { logger.warning("\(line)") } } }
        }
        let sockets = try CoordinatorSockets(
            context: context, keys: keys, handler: handler, host: host, port: port, door: door,
            now: { Self.rigTime })
        try JoinListener.start(host: host, port: sockets.controlPort, membership: membership)
        let manager = ServiceManager()
        let service = CoordinatorService(
            link: sockets, catalogue: catalogue, library: library, startedAt: startedAt, logger: logger,
            book: Book(
                membership: membership, people: operators, coordinator: keys.publicKey, door: door, logger: logger),
            groups: groups,
            retention: retention, trail: trail,
            onStatus: { manager.status($0) }, onNotice: { [hooks] in hooks.take($0) },
            onReturn: { Self.beginAnew() }
        ) {
            guard let plane = sockets.hungPlane(at: Self.rigTime) else { return manager.watchdog() }
            let text = "the thread of the \(plane) plane hangs; a watchdog ends this program"
            for line in reports.lines(text) { logger.error("\(line)") }
        }
        let places = [
            ("nodes", sockets.controlPort), ("operators", sockets.operatorPort), ("events", sockets.eventsPort),
        ]
        let listening = places.map { "\($0) at \(host):\($1)" }.joined(separator: ", ")
        logger.info("library \(libraryPath), \(listening)")
        manager.ready(["X_VOLLEY_PORT=\(sockets.controlPort)", "X_VOLLEY_OPERATOR_PORT=\(sockets.operatorPort)"])
        try await DaemonService {
            do {
                // Its end is the hooks' end, too.
                async let _ = hooks.run(catalogue)
                try await service.run()
            }
            // Into one file, for whoever copies it now; if that fails, the next start finds the rest in the log.
            try? catalogue.close()
        } stop: {
            manager.stopping()
            await service.stop()
        }.runUntilSignal(logger: logger)
    }

    private func openCatalogue(_ startedAt: UTCTime) throws -> Catalogue {
        do {
            return try Catalogue(
                path: libraryPath + "/catalogue.sqlite", startedAt: startedAt, rigTime: Self.rigTime)
        } catch  where Catalogue.isUnsuitable(error) {
            throw ConfigurationError(place: "library", message: Mount.unsuitable(libraryPath))
        }
    }

    /// Replaces this program by itself, as after a kill: all that was open on a disk that was away is closed.
    private static func beginAnew() {
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", &arguments)
        // Somebody has replaced the program's file: systemd starts the new one.
        exit(ExitStatus.tryAgain)
    }

    /// The descriptors beyond which nobody is let in.
    ///
    /// Of each node there are three connections; the planes and the catalogue take some fifty, operators two each. Half of
    /// what the system allows is for files, and for strangers who come faster than they are turned away. A rig has no use
    /// for thousands of those.
    ///
    /// - Parameter limit: how many the process may have; nil where it cannot be known.
    func mostDescriptors(limit: UInt?) throws(ConfigurationError) -> CInt {
        let mostStrangers = 4096
        let count = membership.namesByKey.count
        let needed = UInt(96 + 3 * count)
        let most = needed + UInt(mostStrangers)
        guard let limit else { return CInt(most) }
        guard limit < needed else { return CInt(min(max(limit / 2, needed), most)) }
        throw ConfigurationError(
            place: "nodes",
            message:
                "a rig of \(count) needs \(needed) open files, but this process may have only \(limit); raise the "
                + "limit, under systemd with LimitNOFILE=")
    }

    /// A folder of public keys: the one given, or else one in the state folder.
    private static func folder(_ key: String, _ settings: Settings) throws -> String {
        guard let path = settings.text(key) else {
            let path = try settings.requiredText("state") + "/" + key
            try PosixFileSystem().makeFolders(path)
            return path
        }
        // It must exist: with a misspelt path nobody could ever connect.
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw ConfigurationError(
                place: key, message: "there is no folder '\(path)'; create it, and put public keys into it")
        }
        return path
    }

    private static var utc: UTCTime { UTCTime(rawValue: Clocks.microsecondsSinceEpoch()) }

    private static var rigTime: RigTime { RigTime(nanoseconds: Clocks.monotonicNanoseconds()) }
}

/// What strangers have written into the log.
private final class Reports: Sendable {
    private let throttle = Mutex(ReportThrottle(mostKinds: 50))

    func lines(_ text: String) -> [String] {
        throttle.withLock { $0.lines(text, at: Clocks.monotonicNanoseconds()) }
    }
}

/// The membership of a rig in which whoever has lost his key, or has another name by now, is turned out.
private struct Book: MemberBook {
    let membership: Membership
    let people: Operators
    /// The coordinator's own key.
    let coordinator: CurvePublicKey
    let door: Door
    let logger: Logger

    func members() -> Members {
        let admitted = [
            CoordinatorSockets.Domain.nodes: membership.namesByKey,
            CoordinatorSockets.Domain.operators: people.namesByKey,
        ]
        for guest in door.turnOut({ admitted[$0.domain]?[$0.key]?.rawValue != $0.user }) {
            if let name = admitted[guest.domain]?[guest.key] {
                logger.notice("\(guest.user) is called \(name) from now on, and connects anew.")
            } else {
                logger.notice("\(guest.user) was turned out: its key is no longer among those of the \(guest.domain).")
            }
        }
        return membership.members()
    }

    func boards() -> BoardsReply { membership.boards() }

    func invite(_ request: InviteRequest) throws(Refusal) -> InviteReply { try membership.invite(request) }

    func change(_ request: MemberRequest) throws(Refusal) -> MemberChange { try membership.change(request) }

    func role(of user: NodeName) -> Role? { people.role(of: user) }

    func operators() -> OperatorsReply { OperatorsReply(operators: people.all) }

    func change(_ request: OperatorChangeRequest, by user: NodeName) throws(Refusal) {
        if let key = request.key.flatMap(CurvePublicKey.init) {
            if key == coordinator { throw Refusal(.invalid, "That is the coordinator's own key, and nobody's.") }
            if let node = membership.namesByKey[key] {
                throw Refusal(
                    .invalid, "That is the key of node \(node); a person needs one of their own: `volley keygen`.")
            }
        }
        try people.change(request, by: user)
    }
}
