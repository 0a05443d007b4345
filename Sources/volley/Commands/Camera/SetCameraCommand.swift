import ArgumentParser
import CaptureModel
import Programs
import RigProtocol

/// `volley camera set`.
struct SetCameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Sets cameras by hand, and keeps that over restarts.",
        usage: "volley camera set [NODES ...] PROPERTY=VALUE ... [options]",
        discussion: """
            For example: volley camera set 'top-*' exposureDuration=1/125 iso=200 whiteBalance=5600K. Where one value is \
            beyond what a camera takes, nothing is set on that camera. \(CameraSettings.help)
            """)

    @Argument(
        help: "The nodes or patterns of them, '*' for all, and what to set, as PROPERTY=VALUE.",
        completion: .custom { words, _, _ in
            await Completions.nodes(words) + CameraProperty.allCases.map { "\($0.rawValue)=" }
        })
    var words: [String]
    @OptionGroup var target: CameraTarget

    private var nodes: [String] { words.filter { !$0.contains("=") } }

    private func settings() throws -> CameraSettings {
        do {
            return try CameraSettings(words: words.filter { $0.contains("=") })
        } catch {
            throw ValidationError(error.description)
        }
    }

    func validate() throws {
        _ = try settings()
        guard words.contains(where: { $0.contains("=") }) else {
            throw ValidationError("Say what to set, such as iso=200.")
        }
        try target.require(nodes)
    }

    func run() async throws {
        let settings = try settings()
        try await target.ask(.set, nodes, settings: settings, tell: CameraTarget.tell(settings.properties))
    }
}
