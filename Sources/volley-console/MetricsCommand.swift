import ArgumentParser
import Logging
import OperatorAccess
import OperatorConsole
import Programs
import RigConfiguration
import RigTransport

/// `volley-console metrics`, which `volley metrics --listen` becomes.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics", abstract: "Answers Prometheus with the rig's numbers, until a signal comes.")

    @OptionGroup var rig: RigOptions
    @Option(help: "HOST:PORT at which to answer, such as 127.0.0.1:9670.") var listen: String

    func validate() throws {
        guard Address(listen, defaultPort: 0).map({ $0.port > 0 }) == true else {
            throw ValidationError("--listen must be HOST:PORT, not '\(listen)'.")
        }
    }

    func run() async throws {
        guard let address = Address(listen, defaultPort: 0) else { return }
        let client: OperatorClient
        do { client = try rig.connect() } catch {
            Output.failure("volley", "\(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        defer { client.close() }
        do {
            try await MetricsPage.serve(
                client, host: address.host, port: address.port, logger: Logger.daemon("volley", level: .warning)
            ) {
                Output.words("Prometheus can ask at http://\(address)/metrics.")
            }
        } catch {
            let isTaken = "\(error)".contains("Address already in use")
            Output.failure(
                "volley", "\(address): \(isTaken ? "another program listens there; name another port" : "\(error)")")
            throw ExitCode(ExitStatus.unavailable)
        }
    }
}
