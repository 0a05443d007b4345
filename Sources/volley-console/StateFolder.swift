import Foundation

/// Where what has to outlive the program is kept: the unit's state directory, or the user's.
enum StateFolder {
    /// The path of a file there; nil where there is no place for it.
    static func file(
        _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        let home = environment["XDG_STATE_HOME"] ?? environment["HOME"].map { $0 + "/.local/state" }
        guard let folder = environment["STATE_DIRECTORY"] ?? home.map({ $0 + "/volley-console" }) else { return nil }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return folder + "/" + name
        } catch {
            return nil
        }
    }
}
