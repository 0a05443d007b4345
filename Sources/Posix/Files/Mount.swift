import Glibc

/// What is mounted where a path is.
package struct Mount: Sendable {
    /// As mount(8) names it: `ext4`, `fuse.sshfs`, `nfs4`.
    package let kind: String
    /// Where it is mounted.
    package let place: String

    /// Nil where the kernel does not say.
    package init?(of path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        let path = String(cString: resolved)
        guard let text = SystemFiles().text("/proc/self/mounts") else { return nil }
        // The last of the longest: what is mounted over another hides it.
        var found: (kind: String, place: String)?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 2 else { continue }
            let place = words[1].replacing("\\040", with: " ")
            let isAbove = place == "/" || path == place || path.hasPrefix(place + "/")
            if isAbove, place.utf8.count >= found?.place.utf8.count ?? 0 { found = (String(words[2]), String(place)) }
        }
        guard let found else { return nil }
        (kind, place) = found
    }

    /// Why a library cannot be at a path.
    package static func unsuitable(_ path: String) -> String {
        let mount = Mount(of: path).map { " (\($0.kind), mounted at \($0.place))" } ?? ""
        return
            "\(path) is on a file system\(mount) where SQLite cannot keep a catalogue: it has no memory that programs share, or "
            + "no locks. Put the library on a local disk; `volley copy` brings a second copy of the photos to a NAS."
    }
}
