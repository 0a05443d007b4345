package import ArgumentParser

extension AsyncParsableCommand {
    /// Parses the command line, runs the command that it names, and ends with its exit status; a usage error is said in
    /// JSON as well where JSON was asked for.
    package static func runAsProgram() async {
        do {
            var command = try await asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            // A command that fails has said so itself; a request for help is no failure.
            let status = exitCode(for: error).rawValue
            if status != 0, !(error is ExitCode) {
                FailureDocument(message(for: error), exitStatus: status).write()
            }
            exit(withError: error)
        }
    }
}
