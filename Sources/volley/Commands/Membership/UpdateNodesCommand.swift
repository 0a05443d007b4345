import ArgumentParser
import CaptureModel
import OperatorAccess
import Posix
import Programs
import RigProtocol
import RigTransport

/// `volley nodes update`.
struct UpdateNodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Updates one node after the other, while the others go on firing.",
        discussion: """
            COMMAND is run here by the shell, once for each node, with {node} replaced by its name, such as \
            'ssh root@{node}.local apt-get -y -o Dpkg::Options::=--force-confold install volley-node', which keeps what \
            was changed in /etc/volley. It begins when the node is between captures and \
            enough others are ready, and the next node's turn comes when this one is ready again. The first that fails, \
            or does not come back, ends the update: the rest go on as they are. The command must not end before the node's \
            program is stopped: a reboot has to be waited for.
            """)

    @OptionGroup var rig: RigOptions
    @Argument(help: "What updates a node, and ends when that is done.") var command: String
    @Option(help: "Only these nodes, in this order: NAME,NAME. Default: all that are not retired.")
    var nodes: String?
    @Option(help: "How many of the rig's other nodes must be ready meanwhile. Default: all of them.") var keep: Int?
    @Option(help: "How long to wait for a node, or for the others: 90s, 10m.") var patience = "5m"

    func validate() throws {
        _ = try Interval.parse(patience)
        if let keep, keep < 0 { throw ValidationError("--keep must be 0 or more, not \(keep).") }
        if !command.contains("{node}") { throw ValidationError("COMMAND must say where {node} goes.") }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let update = RollingUpdate(client: client, command: command, patience: try Interval.parse(patience))
            let rig = try await client.ask(NodesRequest()).nodes.filter { $0.state != .retired }
            let names = try chosen(from: rig.map(\.name))
            let keep = keep ?? rig.count - 1
            guard keep < rig.count else {
                throw ValidationError("\(keep) others cannot be ready in a rig of \(rig.count) nodes.")
            }
            for (index, name) in names.enumerated() {
                let rest = names.dropFirst(index + 1).joined()
                let untouched = rest.isEmpty ? "" : " Not updated: \(rest)."
                do {
                    try await update.update(name, keeping: keep)
                } catch let error as RollingUpdate.Failure {
                    Output.words("volley: \(error.message)\(untouched)")
                    throw ExitCode(error.isPassing ? ExitStatus.tryAgain : ExitStatus.failed)
                } catch {
                    Output.words("volley: The update of node \(name) was broken off.\(untouched)")
                    throw error
                }
            }
        }
    }

    private func chosen(from all: [NodeName]) throws -> [NodeName] {
        guard let nodes else { return all }
        return try nodes.split(separator: ",").map { text in
            guard let name = NodeName(text), all.contains(name) else {
                throw ValidationError("There is no node '\(text)'; `volley nodes` lists them.")
            }
            return name
        }
    }
}

/// Updates nodes of a rig.
struct RollingUpdate {
    /// Why an update ends.
    struct Failure: Error {
        let message: String
        /// Whether the same command may succeed later.
        let isPassing: Bool
    }

    let client: OperatorClient
    let command: String
    /// In nanoseconds.
    let patience: Int64

    /// - Parameter count: how many others must be ready.
    func update(_ name: NodeName, keeping count: Int) async throws {
        let before = try await wait { nodes in
            let others = nodes.count { $0.name != name && [.ready, .busy].contains($0.state) }
            guard let node = nodes.first(where: { $0.name == name }) else { return nil }
            return others >= count && node.state != .busy ? node : nil
        } orFail: { nodes in
            let unready = nodes.filter { $0.name != name && ![.ready, .busy, .retired].contains($0.state) }
            return Failure(
                message: unready.isEmpty
                    ? "Node \(name) is always busy."
                    : "Node \(name) waits for others to be ready, which are not: \(unready.map(\.name).joined()).",
                isPassing: true)
        }
        Output.words("\(name): updating")
        // A name has nothing that means something to a shell, but a program may take it for an option.
        guard !name.rawValue.hasPrefix("-") else {
            throw Failure(message: "A node called \(name) is not updated; rename it.", isPassing: false)
        }
        let line = command.replacing("{node}", with: name.rawValue)
        let status = try await OSThread.run(name: "update") { try ShellCommand.run(line) }
        guard status == 0 else {
            throw Failure(message: "The command ended with status \(status) for node \(name).", isPassing: false)
        }
        // One that was up to date already may not have been started anew; a program that is about to end still beats.
        let grace = ContinuousClock.now.advanced(by: .seconds(4))
        let after = try await wait { nodes in
            let node = nodes.first { $0.name == name && [.ready, .busy].contains($0.state) }
            return ContinuousClock.now > grace || node?.instance != before.instance ? node : nil
        } orFail: { nodes in
            let problem = nodes.first { $0.name == name }?.problem ?? "Node \(name) no longer belongs to this rig."
            return Failure(message: "Node \(name) was updated, and is not ready: \(problem)", isPassing: false)
        }
        let (old, new) = (before.software ?? "unknown", after.software ?? "unknown")
        Output.words("\(name): " + (old == new ? "\(new), as before" : "\(old) -> \(new)"))
    }

    private func wait(
        until find: ([NodeSummary]) -> NodeSummary?, orFail failure: ([NodeSummary]) -> Failure
    ) async throws -> NodeSummary {
        let deadline = ContinuousClock.now.advanced(by: .nanoseconds(patience))
        while true {
            var nodes: [NodeSummary] = []
            do {
                nodes = try await client.ask(NodesRequest()).nodes
                if let found = find(nodes) { return found }
            } catch OperatorClient.ClientError.unreachable where ContinuousClock.now < deadline {
                // The coordinator may be updated as well.
            }
            guard ContinuousClock.now < deadline else { throw failure(nodes) }
            // Nodes are heard once a second.
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}
