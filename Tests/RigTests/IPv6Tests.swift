import Foundation
import TestSupport
import Testing

/// Whether this machine has a loopback of IPv6, as the kernel tells it and no code of ours.
private func hasIPv6() -> Bool {
    (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.contains("00000001 ") ?? false
}

@Suite("A rig on IPv6", .rigTimeLimit, .enabled(if: hasIPv6(), "this machine has no IPv6"))
struct IPv6Tests {
    @Test(
        "joins by a code, fires, brings its photos, and shows its console, with no socket of IPv4",
        arguments: ["::1", "*"])
    func whole(listen: String) throws {
        let rig = try LocalRig()
        try rig.keygen("admin", into: "administrators")
        let configuration = try rig.write(
            "six.yaml",
            """
            listen: "\(listen)"
            port: \(rig.controlPort)
            key: \(rig.file("coordinator.key"))
            nodes: \(rig.file("nodes"))
            operators: \(rig.file("operators"))
            library: \(rig.library)
            """)
        try rig.start("coordinator", "volley-coordinator", ["--config", configuration])
        let operators = "[::1]:\(rig.controlPort + 1)"
        func volley(_ arguments: String...) throws -> ProgramResult {
            try rig.program(
                "volley",
                arguments + [
                    "--coordinator", operators, "--key", rig.file("admin.key"), "--coordinator-key",
                    rig.file("coordinator.pub"),
                ])
        }
        try rig.wait("the coordinator to answer at \(operators)") { try volley("status").status == 0 }
        let sockets = try run("/usr/bin/ss", ["-Hlnt", "-f", "inet"]).output
        #expect(!sockets.contains(":\(rig.controlPort) "), "\(sockets)")
        let card = try volley("nodes", "card", "--name", "top-1", "--address", "[::1]:\(rig.controlPort)")
        #expect(card.status == 0, "\(card.errors)")
        try rig.start(
            "board", "volley-node",
            [
                "--config",
                try rig.write("board.yaml", card.output + "\ncamera: simulated:1\nspool: \(rig.file("spool"))\n"),
            ])
        try rig.wait("the board to be ready") {
            try volley("status").output.contains("1 of 1 ready")
        }
        let fired = try volley("fire", "--single", "--wait")
        #expect(fired.status == 0, "\(fired.errors)")
        let fetched = try volley("fetch", rig.file("photos"), "--capture", "last")
        #expect(fetched.status == 0, "\(fetched.errors)")
        let python = try run(
            "/usr/bin/python3",
            [
                "-c", "import sys, volley; print(len(volley.Rig(*sys.argv[1:]).photos()))", operators,
                rig.file("operator.key"), rig.file("coordinator.pub"),
            ], environment: ["PYTHONPATH": BuiltPrograms.repository.appendingPathComponent("deploy/python").path])
        #expect(python.output == "1\n", "\(python)")
        let numbers = "[::1]:\(rig.controlPort + 4901)"
        try rig.start(
            "metrics", "volley-console",
            [
                "metrics", "--listen", numbers, "--coordinator", operators, "--key", rig.file("operator.key"),
                "--coordinator-key", rig.file("coordinator.pub"),
            ])
        try rig.wait("numbers") {
            try run("/usr/bin/curl", ["-sg", "http://\(numbers)/metrics"]).output.contains("volley_library_free_bytes")
        }
        let console = "[::1]:\(rig.controlPort + 4900)"
        try rig.start(
            "console", "volley-console",
            [
                "--listen", console, "--coordinator", operators, "--key", rig.file("operator.key"),
                "--coordinator-key", rig.file("coordinator.pub"),
            ], ["XDG_RUNTIME_DIR": rig.scratch.path, "XDG_STATE_HOME": rig.file("state")])
        try rig.wait("the console's link") { try rig.log("console").contains("http://\(console)/enter") }
        let link = try #require(try rig.log("console").split(separator: "\n").last { $0.hasPrefix("http") })
        let page = try run("/usr/bin/curl", ["-sgL", "-c", rig.file("jar"), String(link)])
        #expect(page.output.contains("<html"), "\(page)")
    }
}
