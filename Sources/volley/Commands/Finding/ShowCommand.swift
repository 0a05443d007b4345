import ArgumentParser
import CaptureModel
import Catalogue
import Programs
import RigProtocol
import RigTransport

/// `volley show`.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows everything about one capture.")

    @OptionGroup var rig: RigOptions
    @Option(help: "Read this library's catalogue directly, without a coordinator.") var library: String?
    @Argument(help: "The capture's uniqueID.") var uniqueID: UniqueID
    @Flag(help: "Print one JSON document.") var json = false

    func run() async throws {
        try await Output.reporting {
            let capture = try await find()
            if json { try Output.json(capture) } else { Output.data(CaptureReport(capture: capture).text) }
        }
    }

    private func find() async throws -> CaptureDetail {
        if let library {
            guard let capture = try await openCatalogue(library: library).capture(uniqueID) else {
                throw OperatorClient.ClientError.refused(
                    Refusal(.notFound, "There is no capture \(uniqueID) in \(library)."))
            }
            return capture
        }
        let client = try rig.connect()
        defer { client.close() }
        return try await client.ask(ShowRequest(uniqueID: uniqueID)).capture
    }
}
