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
}
