import ArgumentParser
import CaptureModel
import Logging
import OperatorAccess
import OperatorConsole
import Programs
import RigConfiguration
import RigTransport
import Synchronization

/// The operators' page.
@main
struct VolleyConsole: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-console",
        abstract: "Shows a rig and its captures in browsers, and answers studio software over HTTP.",
        discussion: ExitStatus.help, version: Release.version, subcommands: [ServeCommand.self, MetricsCommand.self],
        defaultSubcommand: ServeCommand.self)
}

/// `volley-console --listen HOST:PORT`: the console.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves the console to browsers (the default).",
        discussion: """
            It asks the coordinator as an operator with a key of its own, and reads photos from the library's folder, so \
            it runs on the coordinator's machine, or where that folder is mounted. At its start it prints a link that \
            lets one browser in; who is in can make more.
            """)

    @OptionGroup var rig: RigOptions
    @Option(help: "HOST:PORT at which browsers find it.") var listen = "127.0.0.1:5680"
    @Option(
        help: """
            Another HOST[:PORT] by which browsers may call it, or https://HOST[:PORT] behind a proxy with TLS; may be \
            repeated.
            """)
    var name: [String] = []
    @Option(
        help: "The library's folder as it is reached from here; default: as the coordinator says.",
        completion: .directory)
    var library: String?
    @Option(help: "A folder of plans, NAME.yaml, to choose from.", completion: .directory) var plans: String?
    @Option(help: "For TLS: its certificate, and those it follows from, in a PEM file.", completion: .file())
    var certificate: String?
    @Option(help: "For TLS: the certificate's private key, in a PEM file.", completion: .file())
    var privateKey: String?
    @Flag(help: "Listen to other machines without TLS: behind a proxy that has it, or where you trust the network.")
    var unencrypted = false
    @Option(help: "trace, debug, info, notice, warning or error.") var logLevel = "warning"

    func validate() throws {
        guard Address(listen, defaultPort: 0).map({ $0.port > 0 }) == true else {
            throw ValidationError("--listen must be HOST:PORT, not '\(listen)'.")
        }
        if let wrong = name.first(where: { Address($0.replacing(#/^https?:\/\//#, with: ""), defaultPort: 80) == nil })
        {
            throw ValidationError(
                "--name must be HOST, HOST:PORT or https://HOST[:PORT], as browsers show it, not '\(wrong)'.")
        }
        guard (certificate == nil) == (privateKey == nil) else {
            throw ValidationError("TLS needs both --certificate and --private-key.")
        }
        guard isLocal || certificate != nil || unencrypted else {
            throw ValidationError(
                """
                At --listen \(listen) other machines could listen to what browsers send and get. Give --certificate and \
                --private-key, or say --unencrypted behind a proxy with TLS, or on a network that you trust.
                """)
        }
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError(
                "--log-level must be trace, debug, info, notice, warning or error, not '\(logLevel)'.")
        }
    }

    /// Whether only this machine can reach it.
    private var isLocal: Bool {
        ["127.0.0.1", "[::1]", "localhost"].contains(Address(listen, defaultPort: 0)?.host ?? "")
    }

    /// Where browsers find it, the first of them for links.
    private func origins(_ address: Address) -> [String] {
        let scheme = certificate == nil ? "http" : "https"
        let own = isLocal ? ["localhost", "127.0.0.1", "[::1]"].map { "\($0):\(address.port)" } : []
        return (name + [address.description] + own).map { $0.contains("://") ? $0 : "\(scheme)://\($0)" }
    }

    func run() async throws {
        guard let address = Address(listen, defaultPort: 0), let level = Logger.Level(rawValue: logLevel) else {
            return
        }
        let client: OperatorClient
        let identity: ServerCertificate?
        do {
            identity =
                if let certificate, let privateKey {
                    try ServerCertificate(chain: certificate, key: privateKey)
                } else { nil }
            client = try rig.connect()
        } catch {
            Output.failure("volley-console", "\(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
        defer { client.close() }
        let links = Mutex<ConsoleLinks?>(nil)
        let places = origins(address)
        // Of this rig and no other, should there be one at the same port another day.
        let alarms = StateFolder.file("alarms-\(client.identity)-\(address).json")
        let console = Console(
            client, library: library, plans: plans, alarms: alarms, certificate: identity, origins: Origins(places),
            logger: Logger.daemon("volley-console", level: level),
            admits: { token in links.withLock { $0?.take(token) ?? false } })
        do {
            defer { links.withLock { $0?.close() } }
            try await console.run(
                host: address.host.replacing(#/[\[\]]/#, with: ""), port: address.port
            ) {
                // Not before: a console that runs there already has its own.
                let made = ConsoleLinks.open(port: address.port, origin: places[0])
                links.withLock { $0 = made }
                // Whoever may read the journal is not thereby let in.
                if Journal.isStandardError, made != nil { return }
                Output.words("The console is here, for one browser and an hour:")
                Output.data(console.invite(at: places[0]))
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
