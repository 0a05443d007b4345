import ArgumentParser
import CaptureModel
import Foundation
import Programs
import RigProtocol
import RigTransport

/// `volley arm`.
struct ArmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arm", abstract: "Prepares a plan on all nodes, which hold it until the shutter is pressed.",
        discussion: """
            Every node has metered, focused and reserved its memory, and keeps its settings: `volley fire --armed` then \
            fires with the least delay, and `volley cancel` lets it go; so does an hour without a shot. With --keyboard this \
            command is the shutter itself: each key, as of a foot switch, fires, and it arms anew; q ends it.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var source: PlanOptions
    @Option(help: "The name of the shoot.") var session: String?
    @Option(help: "What is before the cameras; the capture is its next take in the session.") var subject: String?
    @Option(name: .customLong("label"), help: "KEY=VALUE; may be repeated.") var labels: [String] = []
    @Flag(help: "Fire at each key that is pressed, and arm anew; q ends it.") var keyboard = false
    @Flag(help: "Print one JSON document; with --keyboard, one per line.") var json = false

    func validate() throws {
        try source.require()
        if keyboard, source.plan == "-" {
            throw ValidationError("--keyboard reads the keys from standard input, so a plan cannot come from it.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            var request = FireRequest(
                requestID: "", plan: try await source.read(client), session: session, labels: try parseLabels(labels))
            request.subject = subject
            guard keyboard else {
                let reply = try await arm(request, client)
                if json { return try Output.json(reply) }
                Output.data("\(reply.uniqueID)")
                Output.words("`volley fire --armed` fires.")
                return
            }
            try await shoot(request, client)
        }
    }

    private func arm(_ request: FireRequest, _ client: OperatorClient) async throws -> ArmReply {
        var request = request
        request.requestID = UUID().uuidString
        // Nodes have ten seconds for each of two rounds.
        let reply = try await client.ask(ArmRequest(request), seconds: 25)
        let lead = Sentences.milliseconds(reply.leadNanoseconds)
        Output.words("Armed: \(reply.nodes.folded); the first exposure begins \(lead) after the shutter.")
        for line in reply.objections { Output.words("  " + line.printableLine) }
        return reply
    }

    /// Arms, waits for a key, fires, and begins anew.
    private func shoot(_ request: FireRequest, _ client: OperatorClient) async throws {
        let keys = Keyboard()
        defer { keys.close() }
        while true {
            let armed = try await arm(request, client)
            Output.words("A key fires; q ends.")
            guard let key = await keys.next(), !["q", "\u{3}", "\u{4}"].contains(key) else {
                _ = try? await client.ask(CancelRequest(uniqueID: armed.uniqueID))
                return
            }
            let reply = try await client.ask(ReleaseRequest(uniqueID: armed.uniqueID))
            if json { try Output.json(reply, isLine: true) } else { Output.data("\(reply.uniqueID)") }
            try await exposed(reply.uniqueID, client)
        }
    }

    /// Waits until a capture's nodes are free again; its photos may still be on their way.
    private func exposed(_ id: UniqueID, _ client: OperatorClient) async throws {
        while true {
            let summary = try await client.ask(ShowRequest(uniqueID: id)).capture.summary
            if ![.preparing, .firing].contains(summary.state) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
