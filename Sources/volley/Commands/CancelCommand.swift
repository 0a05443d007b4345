import ArgumentParser
import CaptureModel
import OperatorAccess
import Programs
import RigProtocol
import RigTransport

/// `volley cancel`.
struct CancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancels a capture that is under way; by itself, what is armed.")

    @OptionGroup var rig: RigOptions
    @Argument(help: "The capture's uniqueID, digits with which it begins or ends, or last; default: what is armed.")
    var capture: CaptureReference?
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let id =
                if let capture { try await capture.resolve(.coordinator(client)) } else { try await armed(client) }
            let reply = try await client.ask(CancelRequest(uniqueID: id))
            if json { try Output.json(reply) } else { Output.words("Capture \(id) is being cancelled.") }
        }
    }

    /// The one capture that is armed.
    private func armed(_ client: OperatorClient) async throws -> UniqueID {
        let armed = try await client.ask(PendingRequest()).captures.filter { $0.standing == .armed }.map(\.uniqueID)
        guard let id = armed.first else {
            throw OperatorClient.ClientError.refused(
                Refusal(.notUnderWay, "Nothing is armed. Say which capture is to be cancelled: its uniqueID, or last."))
        }
        guard armed.count == 1 else {
            throw OperatorClient.ClientError.refused(
                Refusal(.invalid, "Several captures are armed; say which.", details: armed.map(\.description)))
        }
        return id
    }
}
