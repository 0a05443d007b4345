import ArgumentParser
import CaptureModel
import Documents
import OperatorAccess
import Programs
import RigClock
import RigProtocol
import RigTransport

/// `volley nodes`.
struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "Lists the nodes of the rig, and changes which boards belong to it.",
        subcommands: [
            ListNodesCommand.self, PendingNodesCommand.self, AdmitNodeCommand.self, InviteNodesCommand.self,
            NodeCardCommand.self, RenameNodeCommand.self, RetireNodeCommand.self, RevokeNodeCommand.self,
            IdentifyNodeCommand.self, NodeVersionsCommand.self, UpdateNodesCommand.self,
        ], defaultSubcommand: ListNodesCommand.self)
}

/// `volley nodes list`.
struct ListNodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the nodes of the rig, with the reason if one cannot take part (the default).")

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(NodesRequest())
            if json { return try Output.json(reply.nodes.map { NodeDocument($0) }) }
            Output.report(NodeList(nodes: reply.nodes).text)
            let ready = reply.nodes.count { [.ready, .busy].contains($0.state) }
            Output.words("\(ready) of \(Sentences.count(reply.nodes.count, "node")) ready.")
            let groups = Set(reply.nodes.flatMap { $0.groups ?? [] })
            for group in groups.sorted() {
                let names = reply.nodes.filter { $0.groups?.contains(group) ?? false }.map(\.name)
                Output.words("Group \(group.printableLine): \(names.sorted { $0.precedes($1) }.folded).")
            }
        }
    }
}
