import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley nodes versions`.
struct NodeVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "Lists which release of Volley runs where.",
        discussion: """
            Releases that speak a common version of the protocol work together, and fire together; a node that does not \
            is turned away, with its reason in the list. Update the coordinator first.
            """)

    @OptionGroup var rig: RigOptions
    @Flag(help: "Print one JSON document.") var json = false

    private struct Entry: Encodable {
        let name: String
        let software: String?
        let remark: String?
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let own = try await client.ask(StatusRequest()).software
            let nodes = try await client.ask(NodesRequest()).nodes.map { node in
                let differs = node.software != nil && node.software != own ? "not the coordinator's release" : nil
                return Entry(
                    name: node.name.rawValue, software: node.software,
                    remark: node.state == .unreachable ? node.problem : differs)
            }
            let commands = Release.version == own ? nil : "not the coordinator's release"
            let entries = [
                Entry(name: "(coordinator)", software: own, remark: nil),
                Entry(name: "(this command)", software: Release.version, remark: commands),
            ]
            if json { return try Output.json(entries + nodes) }
            var table = Table(["NODE", "RELEASE", "REMARK"])
            for entry in entries + nodes { table.add([entry.name, entry.software ?? "-", entry.remark ?? ""]) }
            Output.report(table.text)
        }
    }
}
