import Glibc

/// Processor time in seconds, the kernel's own for a process included.
enum ProcessorTime {
    static func ofThisProcess() -> Double { seconds(RUSAGE_SELF) }

    /// Of the children that have ended and were waited for, and of theirs.
    static func ofChildren() -> Double { seconds(RUSAGE_CHILDREN) }

    private static func seconds(_ who: __rusage_who) -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(who.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) * 1e-6 }
    }
}
