import ArgumentParser
import Catalogue
import Foundation
import LibraryCare
import Posix
import Programs
import RigConfiguration
import RigMembership
import ZeroMQ

/// Where a coordinator's settings come from, and how its commands end.
enum CoordinatorOptions {
    /// Where the packages' service has it.
    static let usualPath = "/etc/volley/coordinator.yaml"

    /// The settings of the three layers.
    static func settings(config: String?, flags: [String: String?] = [:]) throws -> Settings {
        try Settings(
            known: [
                "listen", "port", "state", "key", "nodes", "operators", "library", "logLevel", "retention.trash",
                "retention.rejected", "retention.captures", "hooks.program", "hooks.url", "hooks.seconds",
            ],
            structured: ["groups"],
            files: try config.map { [try ConfigurationFile.read($0)] } ?? [],
            environment: ProcessInfo.processInfo.environment, flags: flags)
    }

    /// The configuration that was given, or else the service's, where it is there.
    static func path(_ given: String?) -> String? { given ?? (access(usualPath, R_OK) == 0 ? usualPath : nil) }

    /// Where a coordinator keeps what it is.
    static func places(
        _ given: String?, flags: [String: String?]
    ) throws -> (config: String?, library: String, state: String) {
        let config = path(given)
        let settings = try settings(config: config, flags: flags)
        for key in ["key", "nodes", "operators"] where settings.text(key) != nil {
            throw ConfigurationError(
                place: key, message: "only what is in one folder, `state`, can be moved as a whole; move it there first"
            )
        }
        return (config, try settings.requiredText("library"), try settings.requiredText("state"))
    }

    /// Runs a command's work; whatever goes wrong becomes a message and an exit status.
    static func reporting(_ body: () async throws -> Void) async throws {
        func fail(_ status: Int32, _ error: some CustomStringConvertible) throws {
            Output.failure("volley-coordinator", error)
            throw ExitCode(status)
        }
        do {
            try await body()
            if Output.hasFailed { throw ExitCode(ExitStatus.inputOutput) }
        } catch let error as ConfigurationError {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as LibraryInspection.PhotosAway {
            try fail(ExitStatus.badConfiguration, error)
        } catch let error as KeyFile.KeyError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.badConfiguration, error)
        } catch let error as LibraryProblem {
            try fail(error.kind.exitStatus, error)
        } catch let error as SystemError where error.call == "flock" && error.errno == EWOULDBLOCK {
            try fail(
                ExitStatus.tryAgain,
                "\(error.subject): another coordinator, or a repair, is using this folder; stop it first")
        } catch let error as SystemError {
            try fail(error.isPermission ? ExitStatus.notAllowed : ExitStatus.failed, error)
        } catch let error as ZeroMQError {
            try fail(ExitStatus.unavailable, error)
        } catch let error where Catalogue.isOfCatalogue(error) {
            let status = Catalogue.isDamage(error) ? ExitStatus.inputOutput : ExitStatus.failed
            try fail(status, Catalogue.sentence(for: error))
        }
    }
}

/// The places of a coordinator that is looked after from outside.
struct PlaceOptions: ParsableArguments {
    @Option(help: "The YAML configuration of this machine's coordinator.") var config: String?
    @Option(help: "The folder for key, nodes and operators.") var state: String?
    @Option(help: "The folder for photos and their catalogue.") var library: String?

    /// The settings of the three layers.
    func settings() throws -> Settings {
        try CoordinatorOptions.settings(config: CoordinatorOptions.path(config), flags: flags)
    }

    /// Where it keeps what it is.
    func read() throws -> (config: String?, library: String, state: String) {
        try CoordinatorOptions.places(config, flags: flags)
    }

    private var flags: [String: String?] { ["state": state, "library": library] }
}

extension LibraryProblem.Kind {
    fileprivate var exitStatus: Int32 {
        switch self {
        case .wrongPlace: ExitStatus.badConfiguration
        case .inUse: ExitStatus.tryAgain
        case .damaged: ExitStatus.inputOutput
        case .failed: ExitStatus.failed
        }
    }
}
