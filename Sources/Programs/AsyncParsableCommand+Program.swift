package import ArgumentParser

extension AsyncParsableCommand {
    /// Parses the command line, runs the command that it names, and ends with its exit status; a usage error is said in
    /// JSON as well where JSON was asked for.
    package static func runAsProgram() async {
        do {
            var command = try await asyncParseAsRoot(shielded(Array(CommandLine.arguments.dropFirst())))
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

    /// The arguments with a blank before each span such as `-1h` that an option has: with any other error in the line, its h
    /// would be taken for a request for help.
    package static func shielded(_ arguments: [String]) -> [String] {
        zip([""] + arguments, arguments).map { former, argument in
            let isSpan = former.hasPrefix("--") && argument.wholeMatch(of: #/-[0-9.]+(ms|s|m|h|d|w)/#) != nil
            return isSpan ? " " + argument : argument
        }
    }
}
