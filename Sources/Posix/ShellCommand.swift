import CPosix
import Glibc

/// A command line for `/bin/sh`.
package enum ShellCommand {
    /// Runs a command, with standard output where standard error goes; blocks until it ends, whatever it leaves running.
    ///
    /// Foundation's `Process` waits for those as well, since they inherit what it watches.
    ///
    /// - Returns: its exit status; 128 and the number of the signal where one ended it.
    package static func run(_ command: String) throws(SystemError) -> Int32 {
        let id = try start(command, input: nil)
        var status: CInt = 0
        while waitpid(id, &status, 0) < 0 {
            guard errno == EINTR else { throw .last("waitpid", command) }
        }
        return exitStatus(status)
    }

    /// How much of what a command says is passed on, in bytes.
    private static let mostWords = 4096

    /// The same, with something to read, and for no longer than it may; blocks meanwhile. Of what it says, the first 4,096
    /// bytes are passed on to standard error; what it has left running is ended with it.
    ///
    /// - Parameters:
    ///   - input: what stands on its standard input.
    ///   - limit: the time after which it and all that it has started are ended, in nanoseconds.
    ///   - isOver: asked again and again whether they are to be ended now.
    /// - Returns: nil where it was ended.
    package static func run(
        _ command: String, input: [UInt8], limit: Int64, isOver: () -> Bool = { false }
    ) throws(SystemError) -> Int32? {
        // A file in memory: nobody waits for what a program leaves unread.
        let handle = memfd_create("input", cposix_memfd_flags)
        guard handle >= 0 else { throw .last("memfd_create", command) }
        let file = OwnedFileDescriptor(owning: handle)
        var written = 0
        while written < input.count {
            let count = input.withUnsafeBytes { write(file.rawValue, $0.baseAddress! + written, $0.count - written) }
            guard count > 0 else { throw .last("write", command) }
            written += count
        }
        lseek(file.rawValue, 0, SEEK_SET)
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw .last("pipe", command) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        var words = Words(OwnedFileDescriptor(owning: ends[0]))
        let id: pid_t
        do {
            let output = OwnedFileDescriptor(owning: ends[1])
            id = try start(command, input: file.rawValue, output: output.rawValue)
        }
        // Its children as well: nobody waits for them any more.
        defer { kill(-id, SIGKILL) }
        let deadline = Clocks.monotonicNanoseconds() + limit
        var status: CInt = 0
        while true {
            let ended = waitpid(id, &status, WNOHANG)
            words.passOn()
            guard ended >= 0 || errno == EINTR else { throw .last("waitpid", command) }
            if ended > 0 { return exitStatus(status) }
            guard Clocks.monotonicNanoseconds() < deadline, !isOver() else { break }
            usleep(20_000)
        }
        kill(-id, SIGKILL)
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return nil
    }

    /// What a command says, of which nobody reads more than the beginning.
    private struct Words: ~Copyable {
        private let pipe: OwnedFileDescriptor
        private var left = ShellCommand.mostWords

        init(_ pipe: consuming OwnedFileDescriptor) { self.pipe = pipe }

        /// Takes all that is there, so that the command never waits.
        mutating func passOn() {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = read(pipe.rawValue, &buffer, buffer.count)
                guard count > 0 else { return }
                let told = min(left, count)
                if told > 0 { _ = write(STDERR_FILENO, buffer, told) }
                if told > 0, told < count { _ = write(STDERR_FILENO, "...\n", 4) }
                left -= told
            }
        }
    }

    /// WIFEXITED and WEXITSTATUS, which Swift does not import.
    private static func exitStatus(_ status: CInt) -> Int32 {
        status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    /// - Parameters:
    ///   - input: what becomes its standard input; nil for nothing to read. Then it stays in this process's group.
    ///   - output: what becomes its standard output and error; nil for this process's standard error.
    private static func start(
        _ command: String, input: CInt?, output: CInt? = nil
    ) throws(SystemError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO) }
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        let arguments = ["sh", "-c", command].map { (text: String) in strdup(text) }
        defer { arguments.forEach { free($0) } }
        // What a program ignores in favour of its own handlers, or a thread keeps out, would be by its children as well.
        var (attributes, signals) = (posix_spawnattr_t(), sigset_t())
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let group = input == nil ? 0 : POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, CShort(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
        var id: pid_t = 0
        let code = posix_spawn(&id, "/bin/sh", &actions, &attributes, arguments + [nil], environ)
        guard code == 0 else { throw SystemError(call: "posix_spawn", errno: code, subject: "/bin/sh") }
        return id
    }

    /// A text as one word of a command.
    package static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
