package import ArgumentParser
import Foundation
package import RigConfiguration
import RigMembership
package import RigTransport
import ZeroMQ

/// How a command reaches its coordinator.
package struct RigOptions: ParsableArguments {
    @Option(help: "The YAML configuration; default: ~/.config/volley/volley.yaml, if it exists.")
    package var config: String?
    @Option(
        help: "HOST[:PORT] of the coordinator's operator port. Default: 127.0.0.1:\(Address.defaultPort + 1).")
    package var coordinator: String?
    @Option(help: "The operator's secret key file.") package var key: String?
    @Option(help: "The coordinator's public key file.") package var coordinatorKey: String?

    package init() {}

    /// Connects to the coordinator that the settings name.
    package func connect() throws -> OperatorClient {
        let (settings, address) = (try settings(), try address())
        return try OperatorClient(
            context: Context(),
            keys: try KeyFile.load(
                try settings.requiredText(
                    "key", advice: "; `volley keygen NAME` makes one, which an administrator has to admit")),
            coordinatorKey: try KeyFile.loadPublic(
                try settings.requiredText(
                    "coordinatorKey", advice: "; it is coordinator.pub in the coordinator's state")),
            host: address.host, port: address.port)
    }

    /// The coordinator's port for operators.
    package func address() throws -> Address {
        let port = Address.defaultPort + 1
        let given = try settings().value(
            "coordinator", wanted: "HOST or HOST:PORT", { Address($0, defaultPort: port) })
        return given ?? Address(host: "127.0.0.1", port: port)
    }

    private func settings() throws -> Settings {
        try Settings(
            known: ["coordinator", "key", "coordinatorKey"], files: try file().map { [$0] } ?? [],
            environment: ProcessInfo.processInfo.environment,
            flags: ["coordinator": coordinator, "key": key, "coordinatorKey": coordinatorKey])
    }

    private func file() throws -> (text: String, name: String)? {
        if let config { return try ConfigurationFile.read(config) }
        let environment = ProcessInfo.processInfo.environment
        let base = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "") + "/.config"
        let path = base + "/volley/volley.yaml"
        return FileManager.default.fileExists(atPath: path) ? try ConfigurationFile.read(path) : nil
    }
}
