import Foundation
import RigConfiguration

/// Where a coordinator's settings come from.
enum CoordinatorOptions {
    /// The settings of the three layers.
    static func settings(config: String?, flags: [String: String?] = [:]) throws -> Settings {
        try Settings(
            known: ["listen", "port", "state", "key", "nodes", "operators", "library", "logLevel"],
            files: try config.map { [try ConfigurationFile.read($0)] } ?? [],
            environment: ProcessInfo.processInfo.environment, flags: flags)
    }
}
