import Foundation

/// Where what has to outlive the program is kept: the unit's state directory, or the user's.
enum StateFolder {
    /// The path of a file there; nil where there is no place for it.
    static func file(
        _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let home = value("XDG_STATE_HOME") ?? value("HOME").map { $0 + "/.local/state" }
        // A unit may have several; the first is its own.
        let own = value("STATE_DIRECTORY").flatMap { $0.split(separator: ":").first.map(String.init) }
        guard let folder = own ?? home.map({ $0 + "/volley-console" }) else { return nil }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            return folder + "/" + name
        } catch {
            return nil
        }
    }
}
