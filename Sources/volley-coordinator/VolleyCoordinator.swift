import ArgumentParser
import CaptureModel
import Programs

/// The coordinator, and commands for the machine that it runs on.
@main
struct VolleyCoordinator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley-coordinator",
        abstract: "Fires the nodes of a rig together, and keeps their photos and events in a library.",
        discussion: """
            Without a subcommand it is the coordinator: volley-coordinator --config FILE.
            \(ExitStatus.help)
            """,
        version: Release.version,
        subcommands: [RunCommand.self, DoctorCommand.self, BackupCommand.self, RestoreCommand.self],
        defaultSubcommand: RunCommand.self)
}
