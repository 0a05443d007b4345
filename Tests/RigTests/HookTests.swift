import Foundation
import TestSupport
import Testing

/// Judged by a shell, and by curl and Python's HTTP server, which know nothing of Volley.
@Suite("What runs after each capture", .rigTimeLimit)
struct HookTests {
    @Test("gets the capture as `volley show` has it, within its time, and holds up nothing")
    func hooks() throws {
        let rig = try LocalRig()
        let port = rig.consolePort
        let script = try rig.write(
            "server.py",
            """
            import http.server, sys
            class Answer(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    assert self.headers["Content-Type"] == "application/json"
                    open(sys.argv[2], "ab").write(self.rfile.read(int(self.headers["Content-Length"])))
                    self.send_response(204)
                    self.end_headers()
            print("listening", flush=True)
            http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
            """)
        let (told, posted) = (rig.scratch.path + "/told", rig.scratch.path + "/posted")
        let log = try rig.start("server", "/usr/bin/python3", [script, "\(port)", posted])
        try rig.wait("the server") { try String(contentsOfFile: log, encoding: .utf8).contains("listening") }
        // The first capture's hook hangs; the second's fails once it has written.
        let program = try rig.write(
            "after.sh",
            "echo $VOLLEY_CAPTURE $VOLLEY_STATE >>\(told); [ $(wc -l <\(told)) -gt 1 ] || sleep 600; cat >>\(told); exit 9"
        )
        try rig.startCoordinator(
            settings: """
                hooks: {program: "sh \(program)", url: "http://127.0.0.1:\(port)/captures", seconds: 3}
                """)
        try rig.startNode("left", seed: 1)
        try rig.awaitReady(1)
        let captures = try (0..<2).map { _ in
            let fired = try rig.volley("fire", "--single", "--format", "jpeg", "--wait")
            try #require(fired.status == 0, "\(fired.errors)")
            return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        try rig.wait("both captures to be posted") { text(posted).split(separator: "\n").count == 2 }
        let shown = try captures.map { try rig.volley("show", $0, "--json").output }
        func document(_ text: some StringProtocol) throws -> NSDictionary {
            try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
        }
        let lines = text(posted).split(separator: "\n")
        for (one, line) in zip(shown, lines) { #expect(try document(one) == document(line)) }
        let words = text(told).split(separator: "\n")
        #expect(words.prefix(2) == ["\(captures[0]) complete", "\(captures[1]) complete"])
        #expect(words.last.map(String.init) == lines.last.map(String.init))
        let journal = try rig.log("coordinator")
        #expect(journal.contains("hooks.program took longer than 3 s for capture \(captures[0])"))
        #expect(journal.contains("hooks.program failed for capture \(captures[1]): exit status 9"))
        // What runs when the coordinator ends, ends with it, and what that has started.
        let child = rig.file("child")
        _ = try rig.write("after.sh", "sleep 600 & echo $! >\(child); wait")
        #expect(try rig.volley("fire", "--single", "--wait").status == 0)
        try rig.wait("the hook to run") { Int32(text(child).dropLast()) != nil }
        #expect(rig.terminate("coordinator") == 0)
        let id = try #require(Int32(text(child).dropLast()))
        // One that nobody has reaped yet has no words any more.
        try rig.wait("it to be gone", seconds: 5) { !text("/proc/\(id)/cmdline").contains("sleep") }
        rig.kill9("server")
    }
}
