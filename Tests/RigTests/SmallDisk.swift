import Foundation
import TestSupport
import Testing

/// A small file system in memory, at a path, for as long as it lives.
final class SmallDisk {
    let path: String
    private var ballast: String { path + "/ballast" }

    /// - Parameter files: how many there may be; nil for as many as one likes.
    init(_ path: String, megabytes: Int, files: Int? = nil) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let made = try run(
            "/usr/bin/mount",
            ["-t", "tmpfs", "-o", "size=\(megabytes)m\(files.map { ",nr_inodes=\($0)" } ?? "")", "volley", path])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Takes what is free.
    func fill() {
        let file = open(ballast, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let block = [UInt8](repeating: 7, count: 1 << 16)
        while write(file, block, block.count) > 0 {}
        close(file)
    }

    func free() { unlink(ballast) }

    deinit { _ = try? run("/usr/bin/umount", ["-l", path]) }
}
