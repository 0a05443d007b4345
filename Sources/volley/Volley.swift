import ArgumentParser
import CaptureModel
import Programs

/// The operator's command.
@main
struct Volley: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volley",
        abstract: "Fires synchronised exposure brackets on a rig of cameras, and answers for what happened.",
        discussion: ExitStatus.help,
        version: Release.version,
        subcommands: [
            DemoCommand.self, FireCommand.self, ArmCommand.self, CheckCommand.self, CameraCommand.self,
            NodesCommand.self, OperatorsCommand.self, AuditCommand.self, ConsoleCommand.self,
            StatusCommand.self, ClocksCommand.self, MetricsCommand.self, TestSyncCommand.self,
            CapturesCommand.self, PhotosCommand.self, FetchCommand.self, ExportCommand.self, RigCommand.self,
            SheetCommand.self, OpenCommand.self,
            SessionsCommand.self, LabelsCommand.self,
            ShowCommand.self,
            LabelCommand.self, RateCommand.self, RejectCommand.self, NoteCommand.self, RenameCommand.self,
            DeleteCommand.self, TrashCommand.self,
            CancelCommand.self, WatchCommand.self, VerifyCommand.self,
            BackupCommand.self, CopyCommand.self, RestoreCommand.self, RebuildCommand.self, KeygenCommand.self,
        ])

    static func main() async {
        // The parser would find fault with the options of a command that it does not know.
        let known = configuration.subcommands.map { $0._commandName } + ["help"]
        if let word = CommandLine.arguments.dropFirst().first, !word.hasPrefix("-"), !known.contains(word) {
            let meant = known.nearest(to: word).map { " Did you mean '\($0)'?" } ?? ""
            let message = "There is no command '\(word.printableLine)'; `volley --help` lists them.\(meant)"
            FailureDocument(message, exitStatus: ExitStatus.usage).write()
            Output.words("volley: \(message)")
            exit(withError: ExitCode(ExitStatus.usage))
        }
        if let (option, known) = strangeOption(in: CommandLine.arguments.dropFirst()) {
            let meant = known.nearest(to: option).map { " Did you mean '\($0)'?" } ?? ""
            let message = "There is no option '\(option.printableLine)'; --help lists them.\(meant)"
            FailureDocument(message, exitStatus: ExitStatus.usage).write()
            Output.words("volley: \(message)")
            exit(withError: ExitCode(ExitStatus.usage))
        }
        await runAsProgram()
    }

    /// An option that its command does not have, with those that it has: the parser would first find fault with what is
    /// missing because of it.
    private static func strangeOption(in words: ArraySlice<String>) -> (String, known: [String])? {
        var command: any ParsableCommand.Type = Self.self
        for word in words {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            command = next
        }
        let commands = [command] + [command.configuration.defaultSubcommand].compactMap(\.self)
        let help = commands.map { $0.helpMessage(includeHidden: true) }.joined()
        let known = Set(help.matches(of: #/--[a-z][a-z0-9-]*/#).map { String($0.0) }).sorted()
        // Before a bare --, which ends the options.
        let options = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }
        let always = [
            "--help", "--version", "--generate-completion-script", "--help-hidden", "--experimental-dump-help",
        ]
        return options.first { !known.contains($0) && !always.contains($0) && !$0.hasPrefix("---") }.map { ($0, known) }
    }
}
