import CaptureModel
import Foundation
import Programs
import RigMembership
import RigProtocol
import RigTransport
import ZeroMQ

/// A coordinator and its nodes, as processes on this machine, for as long as one capture takes.
final class DemoRig {
    /// What went wrong with the rig itself.
    struct Failure: Error {
        let message: String
        let exitCode: Int32
    }

    private let cameras: [String]
    private let library: String
    private let folder: URL
    private var processes: [(name: String, process: Process, log: URL)] = []

    init(cameras: [String], library: String) {
        self.cameras = cameras
        self.library = library
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-demo-\(UUID().uuidString)")
    }

    /// Starts the rig, fires, waits for the end, and stops the rig.
    ///
    /// - Parameter console: whether it goes on, with a page for browsers, until the task is cancelled.
    func run(_ plan: Plan, console: Bool = false) async throws -> CaptureDetail {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { cleanUp() }
        let keys = try makeKeys()
        let ports = try await startCoordinator()
        for (index, camera) in cameras.enumerated() { try startNode(index, camera, port: ports.control) }
        let client = try OperatorClient(
            context: Context(), keys: keys.operator, coordinatorKey: keys.coordinator.publicKey, host: "127.0.0.1",
            port: ports.operators)
        defer { client.close() }
        try await waitForNodes(client)
        let request = FireRequest(requestID: UUID().uuidString, plan: plan, session: "demo", labels: [:])
        let id = try await client.ask(request).uniqueID
        let detail: CaptureDetail
        do {
            detail = try await CaptureWaiter(client: client).poll(id)
        } catch is CancellationError {
            // Ctrl-C: leave no half-finished capture in the library, and keep what was taken.
            await Task.detached { await CaptureEnd(client: client).reach(id) }.value
            throw CancellationError()
        }
        if console { try await serve(ports.operators) }
        return detail
    }

    /// Lets browsers look at the rig until the task is cancelled.
    private func serve(_ port: Int) async throws {
        try start(
            "volley-console", as: "console",
            [
                "--coordinator", "127.0.0.1:\(port)", "--key", path("operator.key").path, "--coordinator-key",
                path("coordinator.pub").path, "--library", library,
            ], environment: ["XDG_STATE_HOME": path("state").path], output: .standardOutput)
        Output.words("The rig runs until Ctrl-C. In a browser:")
        while !Task.isCancelled {
            try checkProcesses()
            try? await Task.sleep(for: .milliseconds(200))
        }
    }

    // MARK: Keys

    private func makeKeys() throws -> (coordinator: CurveKeyPair, operator: CurveKeyPair) {
        for name in ["nodes", "operators"] {
            try FileManager.default.createDirectory(at: path(name), withIntermediateDirectories: true)
        }
        let coordinator = try KeyFile.generate(at: path("coordinator").path)
        let operatorKeys = try KeyFile.generate(at: path("operator").path)
        try FileManager.default.copyItem(at: path("operator.pub"), to: path("operators/demo.pub"))
        for index in cameras.indices {
            _ = try KeyFile.generate(at: path(nodeName(index)).path)
            try FileManager.default.copyItem(
                at: path(nodeName(index) + ".pub"), to: path("nodes/\(nodeName(index)).pub"))
        }
        return (coordinator, operatorKeys)
    }

    private func nodeName(_ index: Int) -> String { "node-\(index + 1)" }

    private func path(_ name: String) -> URL { folder.appendingPathComponent(name) }

    // MARK: Processes

    private func startCoordinator() async throws -> (control: Int, operators: Int) {
        let notifications = try NotificationSocket(path: path("notify").path)
        try start(
            "volley-coordinator", as: "coordinator",
            [
                "--port", "0", "--key", path("coordinator.key").path, "--nodes", path("nodes").path, "--operators",
                path("operators").path, "--library", library, "--log-level", "warning",
            ], environment: ["NOTIFY_SOCKET": path("notify").path])
        let deadline = Date().addingTimeInterval(30)
        while Date() < deadline {
            if let fields = notifications.receive(), fields["READY"] == "1", let control = fields["X_VOLLEY_PORT"],
                let operators = fields["X_VOLLEY_OPERATOR_PORT"], let first = Int(control), let second = Int(operators)
            {
                return (first, second)
            }
            try checkProcesses()
            try await Task.sleep(for: .milliseconds(20))
        }
        throw Failure(message: "the coordinator did not become ready within 30 s", exitCode: ExitStatus.unavailable)
    }

    private func startNode(_ index: Int, _ camera: String, port: Int) throws {
        let name = nodeName(index)
        try start(
            "volley-node", as: name,
            [
                "--name", name, "--camera", camera, "--coordinator", "127.0.0.1:\(port)", "--key",
                path(name + ".key").path, "--coordinator-key", path("coordinator.pub").path, "--spool",
                path("spool-" + name).path, "--log-level", "warning",
            ])
    }

    private func start(
        _ program: String, as name: String, _ arguments: [String], environment: [String: String] = [:],
        output: FileHandle = .nullDevice
    ) throws {
        let process = Process()
        process.executableURL = Self.program(program)
        process.arguments = arguments
        // None of the operator's own settings reach the demo.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VOLLEY_") }
            .merging(environment) { $1 }
        let log = path(name + ".log")
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: log)
        do {
            try process.run()
        } catch {
            throw Failure(
                message:
                    "\(program) cannot be started; it belongs beside volley in \(Self.program(".").path)",
                exitCode: ExitStatus.unavailable)
        }
        processes.append((name, process, log))
    }

    /// A program beside this one.
    private static func program(_ name: String) -> URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent(name)
    }

    /// Writes where simulated cameras stand.
    static func writeTruth(of cameras: [String], to path: String) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = program("volley-node")
        process.arguments = ["truth"] + cameras
        process.standardOutput = output
        try process.run()
        let truth = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(message: "only simulated cameras have a truth to write", exitCode: ExitStatus.failed)
        }
        do { try truth.write(to: URL(fileURLWithPath: path)) } catch {
            throw Failure(message: "\(path) cannot be written", exitCode: ExitStatus.failed)
        }
    }

    /// Waits until every node can fire.
    private func waitForNodes(_ client: OperatorClient) async throws {
        let deadline = Date().addingTimeInterval(60)
        var summaries: [NodeSummary] = []
        while Date() < deadline {
            try checkProcesses()
            summaries = try await client.ask(NodesRequest()).nodes
            if summaries.count == cameras.count, summaries.allSatisfy({ $0.state == .ready }) { return }
            if let lost = summaries.first(where: {
                $0.state == .cameraMissing && $0.capabilities == nil && $0.lastSeen != nil
            }),
                let problem = lost.problem, !problem.contains("still opening")
            {
                throw Failure(message: "\(lost.name): \(problem)", exitCode: ExitStatus.unavailable)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        let late = summaries.filter { $0.state != .ready }.map { "\($0.name): \($0.problem ?? $0.state.rawValue)" }
        throw Failure(
            message: "not every node became ready within 60 s; \(late.joined(separator: "; "))",
            exitCode: ExitStatus.unavailable)
    }

    private func checkProcesses() throws {
        for (name, process, log) in processes where !process.isRunning {
            let words = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            let status = process.terminationStatus
            throw Failure(
                message:
                    "\(name) ended with status \(status): \(words.trimmingCharacters(in: .whitespacesAndNewlines))",
                exitCode: status == 0 ? ExitStatus.failed : status)
        }
    }

    /// Asks the processes to end, the last one first; any that does not within ten seconds is killed.
    private func cleanUp() {
        for (_, process, _) in processes.reversed() where process.isRunning { process.terminate() }
        let deadline = Date().addingTimeInterval(10)
        for (_, process, _) in processes {
            while process.isRunning, Date() < deadline { usleep(10_000) }
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        }
        processes = []
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Brings a capture that nobody wants any more to its end.
private struct CaptureEnd: Sendable {
    let client: OperatorClient

    /// Cancels a capture, and waits for the photos that were taken.
    func reach(_ id: UniqueID) async {
        _ = try? await client.ask(CancelRequest(uniqueID: id), seconds: 2)
        for _ in 0..<150 {
            let reply = try? await client.ask(ShowRequest(uniqueID: id), seconds: 2)
            guard reply?.capture.summary.state.isFinal == false else { return }
            try? await Task.sleep(for: .milliseconds(200))
        }
        Output.words("volley demo: capture \(id) did not end; whatever was not yet fetched is lost.")
    }
}
