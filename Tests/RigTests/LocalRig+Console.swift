import Foundation
import TestSupport
import Testing

extension LocalRig {
    /// Below the ports of all rigs.
    var consolePort: Int { controlPort - 12_000 }

    /// - Returns: the link that it prints.
    func startConsole(_ options: [String] = [], key: String = "operator") throws -> String {
        let environment = operatorEnvironment(key)
            .merging(["XDG_RUNTIME_DIR": scratch.path, "XDG_STATE_HOME": file("state")]) { $1 }
        let log = try start(
            "console", "volley-console", ["--listen", "127.0.0.1:\(consolePort)"] + options, environment)
        var link = ""
        try wait("the console's link") {
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            link = lines.first { $0.hasPrefix("http") } ?? ""
            return !link.isEmpty
        }
        return link
    }

    var consoleOrigin: String { "http://127.0.0.1:\(consolePort)" }

    /// Starts it, and logs in.
    func enterConsole(_ options: [String] = []) throws { _ = try curl([try startConsole(options)]) }

    private func curl(_ words: [String]) throws -> String {
        let told = try run("/usr/bin/curl", ["-sS", "-b", file("jar"), "-c", file("jar")] + words)
        try #require(told.status == 0, "\(told)")
        return told.output
    }

    /// A page of whoever has logged in.
    func page(_ path: String) throws -> String { try curl(["\(consoleOrigin)/\(path)"]) }

    /// A file for whoever has logged in.
    ///
    /// - Returns: its HTTP status.
    func download(_ path: String, to file: String) throws -> String {
        try curl(["-o", file, "-w", "%{http_code}", "\(consoleOrigin)/\(path)"])
    }

    /// An answer to whoever has logged in.
    ///
    /// - Parameter body: JSON, to be posted.
    func ask(_ path: String, _ body: String? = nil) throws -> String {
        try curl(
            (body.map { ["-H", "Content-Type: application/json", "-d", $0] } ?? []) + [
                "\(consoleOrigin)/api/v1/\(path)"
            ])
    }
}
