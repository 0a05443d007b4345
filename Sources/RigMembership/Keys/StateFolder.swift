import Glibc
package import Posix

/// The folder in which a coordinator keeps its key and who belongs to its rig, as a whole.
package struct StateFolder: Sendable {
    private let path: String
    private let files = PosixFileSystem()

    package init(_ path: String) { self.path = path }

    /// Whether there is a coordinator's key in it.
    package var isThere: Bool { ((try? files.byteCount(of: path + "/coordinator.key")) ?? nil) != nil }

    /// Copies it, secrets included, into a new folder, durably.
    ///
    /// - Parameter reference: whose owner the copy gets, where root makes it; nil for root itself.
    package func copy(to folder: String, ownedLike reference: String? = nil) throws(SystemError) {
        var owner = stat()
        let isGiven = geteuid() == 0 && reference.map { stat($0, &owner) == 0 } == true
        func give(_ descriptor: borrowing OwnedFileDescriptor, _ mode: mode_t, _ path: String) throws(SystemError) {
            guard fchmod(descriptor.rawValue, mode) == 0 else { throw .last("fchmod", path) }
            if isGiven, fchown(descriptor.rawValue, owner.st_uid, owner.st_gid) != 0 { throw .last("fchown", path) }
            guard fsync(descriptor.rawValue) == 0 else { throw .last("fsync", path) }
        }
        func copyFolder(_ source: String, _ target: String) throws(SystemError) {
            // Nobody else looks in while it is being filled.
            guard mkdir(target, 0o700) == 0 else { throw .last("mkdir", target) }
            for name in try files.names(in: source) {
                let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
                if Self.kind(from) == S_IFDIR {
                    try copyFolder(from, to)
                    continue
                }
                let bytes = try files.read(from)
                let file = try OwnedFileDescriptor(path: to, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
                guard write(file.rawValue, bytes, bytes.count) == bytes.count else { throw .last("write", to) }
                try give(file, Self.mode(of: name), to)
            }
            let descriptor = try OwnedFileDescriptor(path: target, flags: O_RDONLY | O_DIRECTORY)
            try give(descriptor, Self.folderMode, target)
        }
        try check()
        try copyFolder(path, folder)
        try files.syncFolder(files.parent(of: folder))
    }

    /// Checks that there is nothing in it but files and folders, before anything is changed.
    ///
    /// - Throws: ``SystemError`` where there is a link, which could lead anywhere, or something that never ends.
    package func check() throws(SystemError) {
        func checkFolder(_ folder: String) throws(SystemError) {
            for name in try files.names(in: folder) {
                let path = "\(folder)/\(name)"
                switch Self.kind(path) {
                case S_IFDIR: try checkFolder(path)
                case S_IFREG: continue
                case _:
                    throw SystemError(
                        call: "copy", errno: EINVAL,
                        subject: "\(path), which is neither a file nor a folder; take it away")
                }
            }
        }
        try checkFolder(path)
    }

    /// What is there itself, and not what it leads to; as `S_IFMT` has it.
    private static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Puts a copy of another one in its place, in one step once it is complete.
    ///
    /// - Parameter reference: whose owner it gets where it was not there; else it keeps the one that it had.
    /// - Returns: where what was there is now; nil where nothing was.
    package func replace(with other: StateFolder, ownedLike reference: String) throws(SystemError) -> String? {
        let (part, isThere) = (path + ".part", files.isFolder(path))
        try remove(part)
        try other.copy(to: part, ownedLike: isThere ? path : reference)
        var former: String?
        if isThere {
            let place = "\(path).\(Clocks.microsecondsSinceEpoch())"
            try files.rename(path, to: place)
            former = place
        }
        try files.renameDurably(part, to: path)
        return former
    }

    /// Removes what a replacement left that was cut short.
    private func remove(_ path: String) throws(SystemError) {
        // A link goes, and what it leads to stays.
        guard Self.kind(path) == S_IFDIR else { return try files.remove(path) }
        for name in try files.names(in: path) { try remove("\(path)/\(name)") }
        try files.removeFolder(path)
    }

    private static let folderMode: mode_t = 0o750

    /// By its kind, whatever a stick made of it, which has no modes: public keys are for everybody, all else is a secret.
    private static func mode(of name: String) -> mode_t { name.hasSuffix(".pub") ? 0o644 : 0o600 }

    /// Why nobody should rely on what is in it; nil where only its owner and root can change that.
    ///
    /// Whoever can put a key into a folder of it can make himself an administrator.
    package func exposure() -> String? {
        for folder in [path] + ["administrators", "operators", "watchers", "nodes"].map({ "\(path)/\($0)" }) {
            let keys = ((try? files.names(in: folder)) ?? []).filter { $0.hasSuffix(".pub") || $0.hasSuffix(".key") }
            for place in [folder] + keys.map({ "\(folder)/\($0)" }) {
                if let problem = Self.exposure(of: place) { return problem }
            }
        }
        return nil
    }

    private static func exposure(of path: String) -> String? {
        var status = stat()
        // Of a link that is what it leads to.
        guard stat(path, &status) == 0 else { return nil }
        if status.st_mode & S_IWOTH != 0 {
            return
                "\(path) can be changed by any user of this machine, who could then make himself an administrator: "
                + "chmod o-w \(path)"
        }
        guard geteuid() != 0, status.st_uid != geteuid(), status.st_uid != 0 else { return nil }
        return
            "\(path) belongs to another user, who could make himself an administrator: chown it to this service's user"
    }
}
