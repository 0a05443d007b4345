import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley check`.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Says whether a plan could be fired now, and fires nothing.",
        discussion: "The exit status is that with which `volley fire` would refuse it.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var source: PlanOptions
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws { try source.require() }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let reply = try await client.ask(CheckRequest(plan: try await source.read(client)))
            if json { return try Output.json(reply) }
            Output.data(
                "It can be fired: \(Sentences.count(reply.expectedPhotoCount, "photo")) of \(reply.nodes.folded).")
            for line in reply.objections + (reply.remarks ?? []) { Output.data("  " + line.printableLine) }
        }
    }
}
