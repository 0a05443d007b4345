import ArgumentParser
import Foundation
import PhotoCapture
import Programs
import RigConfiguration

/// Where settings come from, and where profiles are kept.
struct NodeOptions: ParsableArguments {
    @Option(help: "The YAML configuration.") var config: String?
    @Option(help: "Another one, which need not be there and counts for more: of a card's boot partition.")
    var card: String?
    @Option(help: "The folder for camera profiles: what was learned about cameras.") var profiles: String?

    /// The configuration of the board's own node.
    static let service = "/etc/volley/node.yaml"

    /// Takes the camera and the folders of the board's own node, where there is one and nothing else was said.
    mutating func takeService() {
        guard config == nil, access(Self.service, F_OK) == 0 else { return }
        Output.words("volley-node: using \(Self.service)")
        config = Self.service
    }

    /// The settings of the three layers.
    func settings(flags: [String: String?] = [:]) throws -> Settings {
        try Settings(
            known: [
                "name", "camera", "coordinator", "key", "coordinatorKey", "join", "spool", "spoolLimit", "profiles",
                "clock",
                "logLevel",
                "format.pixelFormat", "format.width", "format.height", "format.frameRate",
                "timing.presentationTime", "timing.readout", "lens.fNumber", "lens.focalLength",
                "lens.focalLengthIn35mmFilm", "lens.model", "rotationAngle", "controls.*", "light",
            ], files: try files(), environment: ProcessInfo.processInfo.environment,
            flags: flags.merging(["profiles": profiles]) { $1 })
    }

    private func files() throws(ConfigurationError) -> [(text: String, name: String)] {
        var paths = [config].compactMap { $0 }
        if let card, access(card, F_OK) == 0 || errno != ENOENT { paths.append(card) }
        return try paths.map { path throws(ConfigurationError) in try ConfigurationFile.read(path) }
    }

    /// Where the coordinator is; a machine that is called volley is found by multicast DNS.
    static func coordinator(_ settings: Settings) throws(ConfigurationError) -> Address {
        let given = try settings.value(
            "coordinator", wanted: "HOST or HOST:PORT", { Address($0, defaultPort: Address.defaultPort) })
        return given ?? Address(host: "volley.local", port: Address.defaultPort)
    }

    /// Where profiles are kept: a node's in its spool, the one folder that it can certainly write to; a person's own
    /// where the XDG base directory specification puts it.
    static func profileFolder(_ settings: Settings) -> String {
        if let folder = settings.text("profiles") { return folder }
        if let spool = settings.text("spool") { return spool + "/profiles" }
        let environment = ProcessInfo.processInfo.environment
        let state = environment["XDG_STATE_HOME"] ?? (environment["HOME"] ?? "/root") + "/.local/state"
        return state + "/volley/profiles"
    }
}
