import Glibc

/// The limit on files and connections that this process may have open.
package enum OpenFiles {
    /// Raises the limit to the most the system allows this user.
    ///
    /// Systems start at 1024 for the sake of select(2): too few for a rig of several hundred nodes with three
    /// connections each.
    ///
    /// - Returns: the limit now; nil if it cannot be determined.
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
