import ArgumentParser
import CaptureModel
import Logging
import OperatorAccess
import OperatorConsole
import Programs
import RigConfiguration
import RigTransport

/// The operators' page.
@main
struct VolleyConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-console",
        abstract: "Shows a rig and its captures in browsers, and answers studio software over HTTP.",
        discussion: """
            It asks the coordinator as an operator with a key of its own, and reads photos from the library's folder, so \
            it runs on the coordinator's machine, or where that folder is mounted. At its start it prints a link that \
            lets one browser in; who is in can make more.
            \(ExitStatus.help)
            """,
        version: Release.version)

    @OptionGroup var rig: RigOptions
    @Option(help: "HOST:PORT at which browsers find it.") var listen = "127.0.0.1:5680"
    @Option(help: "Another HOST[:PORT] by which browsers may call it, as behind a proxy; may be repeated.")
    var name: [String] = []
    @Option(
        help: "The library's folder as it is reached from here; default: as the coordinator says.",
        completion: .directory)
    var library: String?
    @Option(help: "A folder of plans, NAME.yaml, to choose from.", completion: .directory) var plans: String?
    @Option(help: "trace, debug, info, notice, warning or error.") var logLevel = "warning"

    func validate() throws {
        guard Address(listen, defaultPort: 0).map({ $0.port > 0 }) == true else {
            throw ValidationError("--listen must be HOST:PORT, not '\(listen)'.")
        }
        if let wrong = name.first(where: { Address($0, defaultPort: 80) == nil }) {
            throw ValidationError("--name must be HOST or HOST:PORT, as browsers show it, not '\(wrong)'.")
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError(
                "--log-level must be trace, debug, info, notice, warning or error, not '\(logLevel)'.")
        }
    }

    func run() async throws {
        guard let address = Address(listen, defaultPort: 0), let level = Logger.Level(rawValue: logLevel) else {
            return
        }
        let client: OperatorClient
        do { client = try rig.connect() } catch {
            Output.failure("volley-console", "\(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        defer { client.close() }
        let isLocal = ["127.0.0.1", "[::1]", "localhost"].contains(address.host)
        let own = isLocal ? ["localhost:\(address.port)", "127.0.0.1:\(address.port)"] : []
        let console = Console(
            client, library: library, plans: plans, authorities: name + [address.description] + own)
        do {
            try await console.run(
                host: address.host.replacing(#/[\[\]]/#, with: ""), port: address.port,
                logger: Logger.daemon("volley-console", level: level)
            ) {
                Output.words("The console is here, for one browser and an hour:")
                Output.data("http://\(name.first ?? address.description)\(console.invite())")
            }
        } catch {
            let isTaken = "\(error)".contains("Address already in use")
            Output.failure(
                "volley-console",
                "\(address): \(isTaken ? "another program listens there; name another port with --listen" : "\(error)")"
            )
            throw ExitCode(ExitStatus.unavailable)
        }
    }
}
