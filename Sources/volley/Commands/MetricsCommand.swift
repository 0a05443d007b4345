import ArgumentParser
import Foundation
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
            if let listen, let address = Address(listen, defaultPort: 0) { try handOver(to: address) }
            let client = try rig.connect()
            defer { client.close() }
            let families = try await client.ask(MetricsRequest()).families
            if json { try Output.json(families) } else { Output.data(families.text) }
        }
    }

    /// Becomes the program that has a server: few want it, and it is much to build and to load.
    private func handOver(to address: Address) throws -> Never {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let program = own.deletingLastPathComponent().appendingPathComponent("volley-console").path
        let options = [
            ("--config", rig.config), ("--coordinator", rig.coordinator), ("--key", rig.key),
            ("--coordinator-key", rig.coordinatorKey),
        ]
        let words =
            ["volley-console", "metrics", "--listen", "\(address)"]
            + options.flatMap { name, value in value.map { [name, $0] } ?? [] }
        var arguments = words.map { strdup($0) } + [nil]
        execv(program, &arguments)
        Output.words("volley: --listen takes volley-console, which is not at \(program); it is in the package volley.")
        throw ExitCode(ExitStatus.unavailable)
    }
}
