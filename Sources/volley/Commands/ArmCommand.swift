import ArgumentParser
import CaptureModel
import Foundation
import OperatorAccess
import Programs
import RigProtocol
import RigTransport
import Synchronization

/// `volley arm`.
struct ArmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arm", abstract: "Prepares a plan on all nodes, which hold it until the shutter is pressed.",
        discussion: """
            Every node has resolved and metered its settings, and keeps the capture ready: `volley fire --armed` then fires \
            with the least delay, and `volley cancel` lets it go; so does an hour without a shot. With --keyboard this \
            command is the shutter itself: each key, as of a foot switch, fires, and it arms anew; q or Ctrl-C ends it.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var source: PlanOptions
    @Option(help: "The name of the shoot.", completion: Completions.sessions) var session: String?
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
                try Output.tell(reply.uniqueID, json ? reply : nil)
                if json { return }
                Output.words("`volley fire --armed` fires.")
                return
            }
            try await shoot(request, client)
        }
    }

    /// - Parameter patience: how long to wait for an answer, in seconds; nodes have ten for each of two rounds.
    private func arm(_ request: FireRequest, _ client: OperatorClient, patience: Double = 30) async throws -> ArmReply {
        var request = request
        request.requestID = UUID().uuidString
        let reply = try await client.ask(ArmRequest(request), seconds: patience)
        let lead = Sentences.milliseconds(reply.leadNanoseconds)
        Output.words("Armed: \(reply.nodes.folded); the first exposure begins \(lead) after the shutter.")
        for line in reply.objections { Output.words("  " + line.printableLine) }
        for line in reply.remarks ?? [] { Output.words(line.printableLine) }
        return reply
    }

    /// Arms, waits for a key, fires, and begins anew.
    private func shoot(_ request: FireRequest, _ client: OperatorClient) async throws {
        let keyboard = Keyboard()
        let armed = Mutex<UniqueID?>(nil)
        let letGo: @Sendable () async -> Void = {
            guard let id = armed.withLock({ $0 }) else { return }
            _ = try? await client.ask(CancelRequest(uniqueID: id), seconds: 2)
        }
        let signals = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                keyboard.restore()
                Task {
                    await letGo()
                    Foundation.exit(128 + number)
                }
            }
            source.resume()
            return source
        }
        defer { signals.forEach { $0.cancel() } }
        // The nodes may still be busy with the shot before.
        var request = request
        request.queue = true
        do {
            while true {
                let reply = try await arm(request, client, patience: 300)
                armed.withLock { $0 = reply.uniqueID }
                Output.words("A key fires; q ends.")
                guard let key = try await keyboard.next(), key.first != "q" else { break }
                armed.withLock { $0 = nil }
                try await press(reply.uniqueID, client)
            }
        } catch {
            await letGo()
            throw error
        }
        await letGo()
    }

    /// Fires what is armed, unless somebody has let it go meanwhile.
    private func press(_ id: UniqueID, _ client: OperatorClient) async throws {
        do {
            let reply = try await client.ask(ReleaseRequest(uniqueID: id))
            try Output.tell(reply.uniqueID, json ? reply : nil, isLine: true)
        } catch OperatorClient.ClientError.refused(let refusal) {
            Output.words("Not fired: \(refusal.message.printableLine)")
            _ = try? await client.ask(CancelRequest(uniqueID: id))
        }
    }
}
