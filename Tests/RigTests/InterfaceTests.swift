import Foundation
import TestSupport
import Testing

/// What studio software asks the console, by a judge that knows its description and nothing else.
@Suite("The console's interface", .rigTimeLimit)
struct InterfaceTests {
    /// `deploy/test` fetches it from PyPI.
    private static let schemathesis = ProcessInfo.processInfo.environment["VOLLEY_SCHEMATHESIS"]
    private static let checks = [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
        "response_schema_conformance", "unsupported_method", "ignored_auth",
    ]

    @Test(
        "answers as its description says, whatever is asked, with rights and without", .enabled(if: schemathesis != nil)
    )
    func description() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("left", seed: 1)
        try rig.awaitReady(1)
        let (jar, description) = (rig.file("jar"), rig.file("openapi.json"))
        let entered = try run("/usr/bin/curl", ["-s", "-c", jar, try rig.startConsole()])
        try #require(entered.status == 0, "\(entered)")
        let root = "http://127.0.0.1:\(rig.consolePort)/api/v1"
        _ = try run("/usr/bin/curl", ["-s", "-b", jar, "-o", description, root + "/openapi.json"])
        let session = try String(contentsOfFile: jar, encoding: .utf8).split(whereSeparator: \.isWhitespace).last ?? ""
        for rights in [["-H", "Cookie: volley_session=\(session)"], []] {
            // Events never end, and a preview waits for a camera: other tests have them.
            let judged = try run(
                Self.schemathesis ?? "",
                ["run", description, "--url", root, "--checks", Self.checks.joined(separator: ",")] + rights
                    + ["--phases", "coverage,fuzzing", "--max-examples", "10", "--suppress-health-check", "all"]
                    + ["--exclude-path", "/events", "--exclude-path-regex", "preview", "--request-timeout", "60"],
                folder: rig.scratch.url)
            #expect(judged.status == 0, "\(judged.output)")
        }
        #expect(rig.terminate("console") == 0)
        #expect(rig.terminate("coordinator") == 0)
    }
}
