import Glibc

/// The files and connections that this process may have open.
package enum OpenFiles {
    /// Allows as many as the system lets this user have.
    ///
    /// Systems begin with 1024 for the sake of select(2): too few for a rig of some hundred nodes with three
    /// connections each.
    ///
    /// - Returns: how many that are; nil where it cannot be known.
    @discardableResult
    package static func raiseLimit() -> UInt? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur
    }
}
