import Glibc

/// A call that the operating system refused.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name: `open`, `fdatasync`, `VIDIOC_S_FMT`.
    package let call: String
    /// The errno that the call set, or the nearest one for a refusal that is our own.
    package let errno: Int32
    /// What it was called on: a path, a device, a control.
    package let subject: String

    package init(call: String, errno: Int32, subject: String) {
        self.call = call
        self.errno = errno
        self.subject = subject
    }

    /// An error for the call that just failed, with the thread's errno.
    package static func last(_ call: String, _ subject: String) -> SystemError {
        SystemError(call: call, errno: Glibc.errno, subject: subject)
    }

    package var description: String {
        "\(subject): \(call): \(String(cString: strerror(errno)))"
    }
}

extension SystemError {
    /// There is no room left, on the disk or in a quota.
    package var isOutOfSpace: Bool { errno == ENOSPC || errno == EDQUOT }

    /// The file does not exist, or its disk cannot return it.
    package var isLoss: Bool { [ENOENT, ENOTDIR, EIO, EUCLEAN, EBADMSG].contains(errno) }

    /// This user is not allowed to.
    package var isPermission: Bool { [EACCES, EPERM, EROFS].contains(errno) }
}
