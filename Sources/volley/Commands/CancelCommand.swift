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
    @Argument(
        help: """
            The capture's uniqueID, digits with which it begins or ends, or last, the newest; default: what is armed.
            """)
    var capture: CaptureReference?
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            let id =
                switch capture {
                case .last: try await newest(client)
                case .digits(let digits): try await CaptureReference.digits(digits).resolve(.coordinator(client))
                case nil: try await armed(client)
                }
            let reply = try await client.ask(CancelRequest(uniqueID: id))
            if json { try Output.json(reply) } else { Output.words("Capture \(id) is being cancelled.") }
        }
    }

    /// The newest capture, unless that is over: what else waits may be others'.
    private func newest(_ client: OperatorClient) async throws -> UniqueID {
        var filter = CaptureFilter()
        filter.limit = 1
        if let last = try await Answers.coordinator(client).captures(filter).items.first, !last.state.isFinal {
            return last.uniqueID
        }
        throw Self.refusal(
            "The newest capture is over.", try await client.ask(PendingRequest()).captures, otherwise: "No other waits."
        )
    }

    /// The one capture that is armed.
    private func armed(_ client: OperatorClient) async throws -> UniqueID {
        let pending = try await client.ask(PendingRequest()).captures
        let armed = pending.filter { $0.standing == .armed }.map(\.uniqueID)
        guard let id = armed.first else {
            throw Self.refusal(
                "Nothing is armed.", pending, otherwise: "`volley cancel last` cancels the newest capture.")
        }
        guard armed.count == 1 else {
            throw OperatorClient.ClientError.refused(
                Refusal(.invalid, "Several captures are armed; say which.", details: armed.map(\.description)))
        }
        return id
    }

    private static func refusal(
        _ reason: String, _ pending: [PendingReply.Capture], otherwise: String
    ) -> OperatorClient.ClientError {
        let hint = pending.isEmpty ? otherwise : "Say which capture is to be cancelled; these wait to be fired:"
        return .refused(Refusal(.notUnderWay, "\(reason) \(hint)", details: pending.map(words)))
    }

    /// `1795...: dome, at 18:00:00 CET, by ada`.
    private static func words(_ capture: PendingReply.Capture) -> String {
        let words = [
            capture.planName, capture.at.map { "at \(Sentences.zonedTime($0))" }, capture.firedBy.map { "by \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
        return "\(capture.uniqueID): \(words)"
    }
}
