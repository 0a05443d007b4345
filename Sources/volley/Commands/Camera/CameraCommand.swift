import ArgumentParser

/// `volley camera`.
struct CameraCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "camera", abstract: "Shows what the nodes' cameras are set to, and sets them by hand.",
        discussion: """
            What is set is kept by each node, over restarts, until it is set again or reset. A bracket starts from it \
            and puts it back. Nodes are named one by one, as top-01,door, or by patterns such as 'top-*'.
            """,
        subcommands: [
            ListCamerasCommand.self, ShowCameraCommand.self, SetCameraCommand.self, MeterCommand.self,
            FocusCommand.self, ResetCameraCommand.self,
        ], defaultSubcommand: ListCamerasCommand.self)
}
