package import CaptureModel
import Glibc
import Posix

/// Looks whether a library's disk is there and can be written; what it finds is told before anybody has to wait for it.
package struct LibraryWatch: Sendable {
    /// What a look found.
    package enum Look: Hashable, Sendable {
        case fine(freeBytes: Int64)
        case trouble(LibraryTrouble)
        /// The library is there, and is not the file that was opened: its disk was away.
        case returned
    }

    /// With less than this nothing can be kept, in bytes.
    private static let least: Int64 = 4 << 20
    /// With fewer files than this a capture does not find place: its folder, its archive, and photos on their way.
    private static let leastFiles: fsfilcnt_t = 8

    private struct Place: Hashable {
        let device: UInt64
        let file: UInt64
    }

    private let folder: LibraryFolder
    private let opened: Place?
    private let run: RunIdentity?

    /// Remembers what is there now; to be made once the catalogue is open and the run has begun.
    package init(_ folder: LibraryFolder) {
        self.folder = folder
        (opened, run) = (try? Self.place(folder.root), (try? folder.identity()) ?? nil)
    }

    /// Looks; a disk that hangs holds this up.
    package func look() -> Look {
        do throws(SystemError) {
            var system = statvfs()
            guard statvfs(folder.root, &system) == 0 else { throw .last("statvfs", folder.root) }
            let place = try Self.place(folder.root)
            if system.f_flag & UInt(ST_RDONLY) != 0 { return .trouble(readOnly) }
            if let opened, place != opened { return try identified() }
            try readFromDisk()
            // Some file systems count no files.
            if system.f_files > 0, system.f_favail < Self.leastFiles { return .trouble(fullOfFiles) }
            let free = Int64(system.f_bavail) * Int64(system.f_frsize)
            return free < Self.least ? .trouble(full) : .fine(freeBytes: free)
        } catch {
            return .trouble(lost("\(error)"))
        }
    }

    /// Reads a file beside the catalogue. The kernel may still have it in memory when its disk is gone: this asks the disk,
    /// where its file system lets it.
    ///
    /// SQLite takes what the disk refuses to read for damage, which nothing should be rebuilt for. The catalogue itself must
    /// not be opened for this: closing any descriptor of it takes away the locks that SQLite has on it
    /// (sqlite.org/howtocorrupt.html, 2.2).
    private func readFromDisk() throws(SystemError) {
        let path = "\(folder.root)/\(RunIdentity.name)"
        let page = 4096
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: page, alignment: page)
        defer { buffer.deallocate() }
        for flags in [O_RDONLY | OwnedFileDescriptor.direct, O_RDONLY] {
            do throws(SystemError) {
                let file = try OwnedFileDescriptor(path: path, flags: flags)
                guard pread(file.rawValue, buffer, page, 0) < 0 else { return }
                throw .last("pread", path)
            } catch let error where error.errno == EINVAL {
                // This file system has no such reads.
                continue
            } catch let error where Self.deadDisk.contains(error.errno) {
                throw error
            } catch {
                // Want of descriptors or of memory, say, tells nothing of the disk.
                return
            }
        }
    }

    /// What a disk that is gone answers.
    private static let deadDisk = [EIO, ENXIO, ENODEV, ESTALE, ESHUTDOWN]

    /// Whether something new can be written beside the catalogue, durably.
    package func canWrite() -> Bool {
        let path = folder.root + "/incoming/.probe"
        defer { unlink(path) }
        unlink(path)
        guard let file = try? OwnedFileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600),
            write(file.rawValue, "volley", 6) == 6
        else { return false }
        return fsync(file.rawValue) == 0
    }

    /// What is told while the disk does not answer.
    package var hangs: LibraryTrouble { lost("\(folder.root): it does not answer") }

    /// What is told while the catalogue refuses what it is given, though its disk is there.
    package func failing(_ words: String) -> LibraryTrouble {
        LibraryTrouble(.failing, "The library takes nothing: \(words). \(Self.kept)")
    }

    private static let kept = "Nodes keep their photos meanwhile."

    private var full: LibraryTrouble {
        LibraryTrouble(
            .full,
            "The library's disk is full: \(folder.root). Make room on it, or empty the trash (`volley trash empty`). "
                + Self.kept)
    }

    private var fullOfFiles: LibraryTrouble {
        LibraryTrouble(
            .full,
            "The library's disk has no place for another file (no inodes: see `df -i`): \(folder.root). Take files away from "
                + "it, or empty the trash (`volley trash empty`). \(Self.kept)")
    }

    private var readOnly: LibraryTrouble {
        LibraryTrouble(
            .readOnly,
            "The library's disk is read-only: \(folder.root). The kernel does that to a disk with errors: see `dmesg`, check "
                + "it, and mount it for writing again; the coordinator goes on by itself. \(Self.kept)")
    }

    private func lost(_ words: String) -> LibraryTrouble {
        LibraryTrouble(
            .lost,
            "The library's disk is lost: \(words). Plug it in, or mount it again at \(folder.root); the coordinator goes on "
                + "by itself. \(Self.kept)")
    }

    private func identified() throws(SystemError) -> Look {
        guard try folder.identity() == run else { return .trouble(lost("another library is at \(folder.root)")) }
        return .returned
    }

    private static func place(_ root: String) throws(SystemError) -> Place {
        var status = stat()
        guard stat(root + "/catalogue.sqlite", &status) == 0 else { throw .last("stat", root + "/catalogue.sqlite") }
        return Place(device: UInt64(status.st_dev), file: UInt64(status.st_ino))
    }
}
