import ArgumentParser
import CaptureModel
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
            if json { return try Output.json(reply.nodes) }
            var table = Table(["NODE", "STATE", "CAMERA", "FORMAT", "CLOCK", "REMARK"])
            for node in reply.nodes.sorted(by: { $0.name.precedes($1.name) }) {
                let camera = node.capabilities
                let clock = node.clock.map {
                    "\($0.estimate.status.rawValue) ±\(Sentences.milliseconds($0.estimate.boundNanoseconds))"
                }
                table.add([
                    node.name.rawValue, node.state.rawValue, camera.map { "\($0.cameraID) (\($0.modelID))" } ?? "-",
                    camera.map { "\($0.pixelFormat) \($0.dimensions)" } ?? "-", clock ?? "-",
                    node.problem ?? camera?.limitations.first ?? "",
                ])
            }
            Output.data(table.text)
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
