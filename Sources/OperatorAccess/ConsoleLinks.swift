import DurableFiles
import Foundation
import Glibc
import Posix

/// Links into a console that runs, made by whoever may write into a folder of its own.
///
/// ```
/// FOLDER/PORT/lock              held by the console for as long as it runs
/// FOLDER/PORT/origin            where browsers find it: https://rig.studio.example:5680
/// FOLDER/PORT/SHA-256           a link's token, as its hash: the console removes it as somebody enters with it
/// ```
package struct ConsoleLinks: Sendable {
    /// How long a link can be used, in seconds.
    private static let life = 3600.0

    private let folder: String
    /// The console's own.
    private var lock: (any FileLock)?

    private init(folder: String) { self.folder = folder }

    /// Where a console keeps them: the unit's runtime directory, the user's, or root's.
    private static func folders(_ environment: [String: String]) -> [String] {
        let own = environment["XDG_RUNTIME_DIR"].map { $0 + "/volley-console" }
        return [environment["RUNTIME_DIRECTORY"], own, "/run/volley-console"].compactMap(\.self)
    }

    // MARK: The console's side

    /// Makes the folder, which nobody else may look into.
    ///
    /// - Parameter origin: where browsers find the console.
    /// - Returns: nil where there is no place for it; links are printed by the console alone then.
    package static func open(
        port: Int, origin: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ConsoleLinks? {
        for root in folders(environment) {
            var links = ConsoleLinks(folder: "\(root)/\(port)")
            for folder in [root, links.folder] { mkdir(folder, 0o700) }
            guard isOwn(root), isOwn(links.folder), let lock = try? PosixFileSystem().lock(links.folder) else {
                continue
            }
            links.lock = lock
            links.close()
            guard (try? origin.write(toFile: links.folder + "/origin", atomically: true, encoding: .utf8)) != nil
            else { continue }
            return links
        }
        return nil
    }

    private static func isOwn(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    /// Uses up a link.
    ///
    /// - Returns: whether there was one.
    package func take(_ token: String) -> Bool {
        let path = path(of: token)
        var status = stat()
        guard lstat(path, &status) == 0, unlink(path) == 0 else { return false }
        return Date().timeIntervalSince1970 - Double(status.st_mtim.tv_sec) < Self.life
    }

    /// Takes all links away, those of a console that ended without saying so as well.
    package func close() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name != "lock" { unlink(folder + "/" + name) }
    }

    // MARK: The other side

    /// The console that runs at a port of this machine.
    ///
    /// - Returns: nil where there is none, or where it is somebody else's.
    package static func find(
        port: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ConsoleLinks? {
        folders(environment).map { ConsoleLinks(folder: "\($0)/\(port)") }.first { links in
            // One whose lock can be had is of a console that was killed.
            access(links.folder + "/origin", R_OK) == 0 && access(links.folder, W_OK) == 0
                && (try? PosixFileSystem().lock(links.folder)) == nil
        }
    }

    /// A new link, for one browser and an hour.
    package func make() throws -> String {
        let origin = try String(contentsOfFile: folder + "/origin", encoding: .utf8)
        let token = Secret.make()
        try Data().write(to: URL(fileURLWithPath: path(of: token)))
        return "\(origin)/enter?token=\(token)"
    }

    private func path(of token: String) -> String { folder + "/" + Digest.of(Array(token.utf8)) }
}
