import Glibc

/// A process that this one starts and waits for.
struct Child {
    private let id: pid_t

    /// - Parameter arguments: the program's path first.
    init(_ arguments: [String]) {
        var id: pid_t = 0
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let result = posix_spawn(&id, arguments[0], nil, nil, &words, environ)
        precondition(result == 0, "\(arguments[0]): \(String(cString: strerror(result)))")
        self.id = id
    }

    /// - Returns: whether it ended well.
    @discardableResult
    func wait() -> Bool {
        var status: CInt = 0
        waitpid(id, &status, 0)
        return status == 0
    }

    /// Whether it has ended; ``wait()`` says how.
    var hasEnded: Bool {
        var info = siginfo_t()
        waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT)
        return info.si_signo != 0
    }

    func end() {
        kill(id, SIGTERM)
        wait()
    }
}
