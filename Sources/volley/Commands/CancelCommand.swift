import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a capture that is under way.")

    @OptionGroup var rig: RigOptions
    @Argument(help: CaptureReference.help) var capture: CaptureReference
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let id = try await capture.resolve(.coordinator(client))
            let reply = try await client.ask(CancelRequest(uniqueID: id))
            if json { try Output.json(reply) } else { Output.words("Capture \(id) is being cancelled.") }
        }
    }
}
