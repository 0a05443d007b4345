import ArgumentParser
import Hummingbird
import HummingbirdCore
import Logging
import OperatorAccess
import Programs
import RigConfiguration
import RigProtocol
import RigTransport

/// `volley metrics`.
struct MetricsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Prints how the rig is, in numbers, or lets Prometheus ask for them.",
        discussion: """
            It needs a key that may watch. Whoever reaches the address given to --listen reads the numbers, and the \
            names of nodes and cameras with them; it can change nothing.
            """)

    @OptionGroup var rig: RigOptions
    @Option(help: "HOST:PORT at which to answer Prometheus, such as 127.0.0.1:9670, until a signal comes.")
    var listen: String?
    @Flag(help: "Print one JSON document.") var json = false

    func validate() throws {
        guard let listen else { return }
        if json { throw ValidationError("--json prints once, and --listen prints nothing; give one of them.") }
        guard Address(listen, defaultPort: 0).map({ $0.port > 0 }) == true else {
            throw ValidationError("--listen must be HOST:PORT, not '\(listen)'.")
        }
    }

    func run() async throws {
        try await Output.reporting {
            let client = try rig.connect()
            defer { client.close() }
            guard let listen, let address = Address(listen, defaultPort: 0) else {
                let families = try await client.ask(MetricsRequest()).families
                return json ? try Output.json(families) : Output.data(families.text)
            }
            try await Self.serve(client, at: address)
        }
    }

    private static func serve(_ client: OperatorClient, at address: Address) async throws {
        let router = Router()
        router.get("/") { _, _ in "Volley's numbers for Prometheus are at /metrics.\n" }
        router.get("metrics") { _, _ in await response(of: client) }
        let application = Application(
            router: router,
            // Whoever connects and says nothing does not stay.
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(32)),
            onServerRunning: { _ in Output.words("Prometheus can ask at http://\(address)/metrics.") },
            logger: Logger.daemon("volley", level: .warning))
        do {
            try await application.runService()
        } catch {
            let isTaken = "\(error)".contains("Address already in use")
            Output.words(
                "volley: \(address): \(isTaken ? "another program listens there; name another port" : "\(error)")")
            throw ExitCode(ExitStatus.unavailable)
        }
    }

    /// A coordinator that does not answer is a scrape that failed, which Prometheus notices.
    private static func response(of client: OperatorClient) async -> Response {
        do {
            // Prometheus waits for ten seconds, unless it is told otherwise.
            let families = try await client.ask(MetricsRequest(), seconds: 8).families
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: families.text + "\n")))
        } catch {
            return Response(
                status: .serviceUnavailable, headers: [.contentType: "text/plain; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(error)\n")))
        }
    }
}
