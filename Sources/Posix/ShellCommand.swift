import Glibc

/// A command line for `/bin/sh`.
package enum ShellCommand {
    /// Runs a command, with standard output where standard error goes; blocks until it ends, whatever it leaves running.
    ///
    /// Foundation's `Process` waits for those as well, since they inherit what it watches.
    ///
    /// - Returns: its exit status; 128 and the number of the signal where one ended it.
    package static func run(_ command: String) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        let arguments = ["sh", "-c", command].map { (text: String) in strdup(text) }
        defer { arguments.forEach { free($0) } }
        // What a program ignores in favour of its own handlers would be ignored by its children as well.
        var (attributes, signals) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGDEF))
        var id: pid_t = 0
        let code = posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
        guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code, subject: "/bin/sh") }
        var status: CInt = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw .last("waitpid", command) }
        }
        // WIFEXITED and WEXITSTATUS, which Swift does not import.
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// A text as one word of a command.
    package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
