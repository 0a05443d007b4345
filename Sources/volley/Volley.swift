import ArgumentParser
import CaptureModel

/// The operator's command.
@main
struct Volley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley",
        abstract: "Fires synchronised exposure brackets on a rig of cameras, and answers for what happened.",
        discussion: """
            Exit status: 0 done, 1 failed, 2 partial capture, 64 usage, 65 bad plan, 69 unavailable, 74 output lost, \
            75 try again, 77 not allowed, 78 configuration, 130 interrupted.
            """,
        version: Release.version,
        subcommands: [
            DemoCommand.self, FireCommand.self, NodesCommand.self, OperatorsCommand.self, AuditCommand.self,
            ClocksCommand.self, MetricsCommand.self, TestSyncCommand.self,
            CapturesCommand.self, ShowCommand.self, CancelCommand.self, WatchCommand.self, VerifyCommand.self,
            BackupCommand.self, CopyCommand.self, RestoreCommand.self, RebuildCommand.self, KeygenCommand.self,
        ])
}
