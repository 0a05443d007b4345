import ArgumentParser
import CaptureModel
import Programs
import RigProtocol

/// The cameras to which something is done; somebody may have forgotten to say which.
struct NamedCameras: ParsableArguments {
    @Argument(help: "The nodes, or patterns of them; '*' for all.", completion: Completions.nodes)
    var nodes: [String] = []
    @OptionGroup var target: CameraTarget

    func validate() throws { try target.require(nodes) }
}

/// `volley camera meter`.
struct MeterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "meter", abstract: "Has cameras meter once, and keeps the exposure that they find.",
        discussion: "As exposureMode=autoExpose. A light that flickers is given five seconds.")

    @OptionGroup var cameras: NamedCameras

    func run() async throws {
        try await cameras.target.ask(
            .set, cameras.nodes, settings: .meteringOnce,
            tell: CameraTarget.tell([.exposureMode, .exposureDuration, .iso, .gain]))
    }
}

/// `volley camera focus`.
struct FocusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus", abstract: "Has cameras focus once, and keeps the lens position that they find.",
        discussion: "As focusMode=autoFocus.")

    @OptionGroup var cameras: NamedCameras

    func run() async throws {
        try await cameras.target.ask(
            .set, cameras.nodes, settings: .focusingOnce, tell: CameraTarget.tell([.focusMode, .lensPosition]))
    }
}

/// `volley camera reset`.
struct ResetCameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Sets cameras as they were before they were set by hand, and keeps nothing.")

    @OptionGroup var cameras: NamedCameras

    func run() async throws {
        try await cameras.target.ask(
            .reset, cameras.nodes, tell: CameraTarget.tell([.exposureMode, .focusMode, .whiteBalanceMode]))
    }
}
