import CaptureModel
import Catalogue
import Foundation
import Synchronization
import TestSupport
import Testing

extension Trait where Self == TimeLimitTrait {
    /// Ends what hangs. Every wait has a limit of its own; this one covers the whole run, since it counts from when a
    /// test could begin, and the processes of others may keep both threads of a small machine until long after that.
    static var rigTimeLimit: Self { .timeLimit(.minutes(20)) }
}

/// A coordinator and nodes as processes on loopback, set up as an operator would: keys, folders, configurations.
final class LocalRig {
    /// Rigs of this process, so that each has ports of its own, below those that the system hands out.
    private static let count = Atomic(0)

    let scratch: Scratch
    let library: String
    private(set) var controlPort: Int
    private(set) var operatorPort = 0
    private(set) var eventsPort = 0
    private var processes: [String: Process] = [:]

    init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue + Int(getpid()) * 16
        controlPort = 20_000 + number % 2400 * 5
        scratch = try Scratch()
        library = scratch.path + "/library"
        for folder in ["nodes", "operators", "administrators"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path + "/" + folder, withIntermediateDirectories: true)
        }
        try keygen("coordinator")
        try keygen("operator", into: "operators")
    }

    deinit {
        for process in processes.values where process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The program on the page about the wire in which a word stands.
    static func script(_ word: String) throws -> String {
        let page = BuiltPrograms.repository.appendingPathComponent("Sources/RigProtocol/wire.md")
        let blocks = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```python\n").dropFirst()
        let scripts = blocks.compactMap { $0.components(separatedBy: "```").first }
        return try #require(scripts.first { $0.contains(word) })
    }

    func file(_ name: String) -> String { scratch.path + "/" + name }

    func write(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: file(name), atomically: true, encoding: .utf8)
        return file(name)
    }

    func keygen(_ name: String, into folder: String? = nil) throws {
        let made = try program("volley", ["keygen", file(name)])
        try #require(made.status == 0, "\(made.errors)")
        if let folder {
            try FileManager.default.copyItem(atPath: file(name + ".pub"), toPath: file("\(folder)/\(name).pub"))
        }
    }

    func program(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws -> ProgramResult {
        try run(
            BuiltPrograms.folder.appendingPathComponent(name).path, arguments, environment: environment,
            folder: scratch.url)
    }

    // MARK: Processes

    /// Starts the coordinator and waits until it listens.
    ///
    /// - Parameter launcher: a program with its arguments that becomes the coordinator.
    func startCoordinator(
        settings: String = "", environment: [String: String] = [:], through launcher: [String] = []
    ) throws {
        let configuration = try write(
            "coordinator.yaml",
            """
            port: \(controlPort)
            key: \(file("coordinator.key"))
            nodes: \(file("nodes"))
            operators: \(file("operators"))
            library: \(library)
            \(settings)
            """)
        try startCoordinator(
            configuration: configuration, as: "coordinator", environment: environment, through: launcher)
    }

    /// Starts a coordinator with a configuration that is there, and waits until it listens.
    func startCoordinator(
        configuration: String, as name: String, environment: [String: String] = [:], through launcher: [String] = []
    ) throws {
        let arguments = ["--config", configuration]
        let program = BuiltPrograms.folder.appendingPathComponent("volley-coordinator").path
        let command = launcher + [program] + arguments
        let log = try start(name, command[0], Array(command.dropFirst()), environment)
        // It says where it listens.
        try wait("the coordinator to listen") {
            let text = try String(contentsOfFile: log, encoding: .utf8)
            func port(_ plane: String) -> Int? {
                let words = "\(plane) at 127.0.0.1:"
                return text.ranges(of: words).last.flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) }
            }
            guard let control = port("nodes"), let operators = port("operators"), let events = port("events") else {
                return false
            }
            (controlPort, operatorPort, eventsPort) = (control, operators, events)
            return true
        }
    }

    /// Starts a node with a simulated camera; its key is made at the first start.
    ///
    /// - Parameters:
    ///   - camera: what stands behind its seed.
    ///   - launcher: a program with its arguments that becomes the node.
    func startNode(
        _ name: String, seed: Int, camera: String = "", isAllowed: Bool = true, host: String = "127.0.0.1",
        spool: String? = nil, environment: [String: String] = [:], through launcher: [String] = []
    ) throws {
        if !FileManager.default.fileExists(atPath: file(name + ".key")) {
            try keygen(name, into: isAllowed ? "nodes" : nil)
        }
        _ = try write(
            name + ".yaml",
            """
            name: \(name)
            camera: simulated:\(seed)\(camera)
            coordinator: \(host):\(controlPort)
            key: \(file(name + ".key"))
            coordinatorKey: \(file("coordinator.pub"))
            spool: \(spool ?? file("spool-" + name))
            """)
        guard let first = launcher.first else { return try start(file(name + ".yaml"), as: name, environment) }
        let node = BuiltPrograms.folder.appendingPathComponent("volley-node").path
        try start(name, first, launcher.dropFirst() + [node, "--config", file(name + ".yaml")], environment)
    }

    /// Starts a node with a configuration that is there.
    func start(_ configuration: String, as name: String, _ environment: [String: String] = [:]) throws {
        try start(name, "volley-node", ["--config", configuration], environment)
    }

    /// - Returns: where it writes what it says.
    @discardableResult
    func start(
        _ name: String, _ program: String, _ arguments: [String], _ environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        let isBuilt = !program.hasPrefix("/")
        process.executableURL =
            isBuilt ? BuiltPrograms.folder.appendingPathComponent(program) : URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let log = file(name + ".log")
        _ = FileManager.default.createFile(atPath: log, contents: nil)
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
        process.standardOutput = process.standardError
        process.standardInput = FileHandle.nullDevice
        try process.run()
        processes[name] = process
        return log
    }

    /// Kills a process as a power cut would.
    func kill9(_ name: String) {
        guard let process = processes.removeValue(forKey: name) else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func processID(_ name: String) -> pid_t { processes[name]?.processIdentifier ?? 0 }

    func isRunning(_ name: String) -> Bool { processes[name]?.isRunning ?? false }

    /// Whether a process has ended by SIGKILL.
    func wasKilled(_ name: String) -> Bool {
        guard let process = processes[name], !process.isRunning else { return false }
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Asks a process to end, and answers how it did.
    func terminate(_ name: String) -> Int32 {
        guard let process = processes.removeValue(forKey: name) else { return -1 }
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    func log(_ name: String) throws -> String {
        try String(contentsOfFile: file(name + ".log"), encoding: .utf8)
    }

    // MARK: The operator

    func volley(_ arguments: String...) throws -> ProgramResult {
        try volley(arguments)
    }

    func volley(_ arguments: [String], key: String = "operator") throws -> ProgramResult {
        try program("volley", arguments, environment: operatorEnvironment(key))
    }

    func operatorEnvironment(_ key: String = "operator") -> [String: String] {
        [
            "VOLLEY_COORDINATOR": "127.0.0.1:\(operatorPort)", "VOLLEY_KEY": file(key + ".key"),
            "VOLLEY_COORDINATOR_KEY": file("coordinator.pub"),
        ]
    }

    func isReady(_ count: Int) throws -> Bool {
        try volley("nodes", "--json").output.components(separatedBy: #""state" : "ready""#).count == count + 1
    }

    func awaitReady(_ count: Int) throws {
        try wait("\(count) nodes to be ready") { try isReady(count) }
    }

    /// Nodes have told all and keep nothing, and the library is clean.
    func awaitClean(_ nodes: String..., seconds: Double = 120) throws {
        try wait("\(nodes.joined(separator: ", ")) to have told all", seconds: seconds) {
            nodes.allSatisfy { node in
                let names = (try? FileManager.default.contentsOfDirectory(atPath: file("spool-" + node))) ?? []
                return !names.contains { Int($0) != nil }
            }
        }
        let verified = try volley("verify", library)
        #expect(verified.status == 0, "\(verified.output)")
    }

    func capture(_ id: String) throws -> CaptureDetail {
        let shown = try volley("show", id, "--json")
        try #require(shown.status == 0, "\(shown.errors)")
        return try CaptureDetail(document: Data(shown.output.utf8))
    }

    /// Asks again until it is so; processes answer when they do.
    func wait(_ what: String, seconds: Double = 120, _ isSo: () throws -> Bool) throws {
        let deadline = Date().addingTimeInterval(seconds)
        while try !isSo() {
            try #require(Date() < deadline, "waited \(seconds) s for \(what)")
            usleep(20_000)
        }
    }
}
