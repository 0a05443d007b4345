import CaptureModel
import Foundation
import TestSupport
import Testing

/// Judged by Python's HTTP client and HTML parser, which know nothing of Volley.
@Suite("The operators' console", .rigTimeLimit)
struct ConsoleTests {
    private let rig: LocalRig
    private let id: String

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator(settings: "groups:\n  all: [left, right]\n  rest: [r*]\n")
        try rig.startNode("left", seed: 1)
        try rig.startNode("right", seed: 2)
        try rig.awaitReady(2)
        let fired = try rig.volley(
            "fire", "--auto", "-2,0,2", "--format", "jpeg", "--session", "<script>alert(1)</script>", "--label",
            "who=\"><b>x&amp;", "--label", "mark=\u{0D4E}<i>\u{0D4E}\" x=\"", "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        id = fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func judge(_ script: String, _ words: String...) throws {
        let path = try rig.write("judge.py", Self.client + script)
        let told = try run(
            "/usr/bin/python3", [path, "\(rig.consolePort)"] + words, environment: rig.operatorEnvironment())
        #expect(told.status == 0 && told.output == "all is well\n", "\(told)")
    }

    @Test("lets in who has a link, once, and nobody from another site")
    func door() throws { try judge(Self.door, try rig.startConsole(), id) }

    @Test("shows captures as the catalogue has them, whatever people wrote, and every photo byte for byte")
    func captures() throws {
        let paths = try rig.volley("photos", "--capture", id).output.split(separator: "\n").map(String.init)
        try judge(Self.captures, try rig.startConsole(), id)
        #expect(rig.terminate("console") == 0)
        try judge(Self.downloads, try rig.startConsole(), id, rig.library)
        #expect(rig.terminate("console") == 0)
        try judge(Self.damage, try rig.startConsole(), id, paths[0], paths[1])
        #expect(rig.terminate("console") == 0)
    }

    @Test("shows what cameras see, to nobody's cost")
    func previews() throws {
        let volley = BuiltPrograms.folder.appendingPathComponent("volley").path
        try judge(Self.previews, try rig.startConsole(), volley, "\(rig.processID("left"))")
    }

    @Test("tells what happens as it happens, without a gap, and that the coordinator is away and back")
    func events() throws {
        let link = try rig.startConsole()
        let volley = BuiltPrograms.folder.appendingPathComponent("volley").path
        try judge(Self.events, link, volley, "\(rig.processID("coordinator"))")
        try rig.startCoordinator()
        try judge(Self.back)
        let script = try rig.write("listeners.py", Self.client + Self.listeners)
        let log = try rig.start("listeners", "/usr/bin/python3", [script, "\(rig.consolePort)"])
        try rig.wait("browsers to listen") { try String(contentsOfFile: log, encoding: .utf8).contains("listening") }
        // It ends, though browsers listen, of which one does not read.
        let asked = Date()
        #expect(rig.terminate("console") == 0)
        #expect(Date().timeIntervalSince(asked) < 30)
        _ = rig.terminate("listeners")
    }

    @Test("fires, checks, rates and cancels as its key may, once for each request, and for no other site")
    func acts() throws {
        try FileManager.default.createDirectory(atPath: rig.file("plans"), withIntermediateDirectories: true)
        _ = try rig.write("plans/a & b.yaml", "# of the house\nbracket: {burst: 2}\n")
        _ = try rig.write("none.yaml", "bracket: {burst: 3}\n")
        try judge(Self.acts, try rig.startConsole(["--plans", rig.file("plans")]), id)
        // With a key that may only watch, nothing is fired, and that is said.
        try rig.keygen("admin", into: "administrators")
        try rig.keygen("watcher")
        let added = try rig.volley(
            ["operators", "add", "watcher", rig.file("watcher.pub"), "--role", "watch"], key: "admin")
        try #require(added.status == 0, "\(added.errors)")
        #expect(rig.terminate("console") == 0)
        try judge(Self.watching, try rig.startConsole(key: "watcher"))
    }

    @Test("lets in whoever may write into its folder, once for each link")
    func links() throws {
        let port = "\(rig.consolePort)"
        func link(_ port: String) throws -> ProgramResult {
            try rig.program(
                "volley", ["console", "link", "--port", port], environment: ["XDG_RUNTIME_DIR": rig.scratch.path])
        }
        func status(_ link: String) throws -> String {
            try run("/usr/bin/curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", link]).output
        }
        let none = try link(port)
        #expect(none.status == 69 && none.errors.contains("No console of yours runs at port \(port)"), "\(none)")
        let first = try rig.startConsole()
        let made = try (0..<2).map { _ in
            let made = try link(port)
            #expect(made.status == 0, "\(made)")
            return made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #expect(made.allSatisfy { $0.hasPrefix("http://127.0.0.1:\(port)/enter?token=") } && made[0] != made[1])
        #expect(try made.map(status) == ["303", "303"] && made.map(status) == ["401", "401"])
        #expect(try status(first) == "303", "that it printed one is no reason against it")
        // An old one is worth nothing, and neither is a path that leads elsewhere.
        let old = try link(port).output.trimmingCharacters(in: .whitespacesAndNewlines)
        let folder = rig.file("volley-console/\(port)")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.count == 64 {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3700)], ofItemAtPath: "\(folder)/\(name)")
        }
        #expect(try status(old) == "401")
        #expect(try status("http://127.0.0.1:\(port)/enter?token=origin") == "401")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["lock", "origin"])
        let permissions = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
        #expect(permissions == 0o700)
        #expect(rig.terminate("console") == 0)
        #expect(try link(port).status == 69)
        // One that was killed could not take its folder along.
        _ = try rig.startConsole()
        rig.kill9("console")
        #expect(FileManager.default.fileExists(atPath: folder + "/origin"))
        #expect(try link(port).status == 69)
        _ = try rig.startConsole()
        #expect(try link(port).status == 0)
    }

    @Test("answers a browser that reaches it through a proxy with TLS as that browser sees it")
    func proxy() throws {
        let port = rig.consolePort
        let link = try rig.startConsole(["--name", "https://rig.example:443"])
        #expect(link.hasPrefix("https://rig.example:443/enter?token="))
        let jar = rig.file("jar")
        func curl(_ words: String...) throws -> String {
            try run("/usr/bin/curl", ["-s", "-b", jar, "-c", jar, "-H", "Host: rig.example"] + words).output
        }
        let place = "http://127.0.0.1:\(port)"
        let entered = try curl("-i", link.replacing("https://rig.example:443", with: place))
        #expect(entered.contains("303") && entered.contains("Secure"), "\(entered)")
        let cookie = try #require(entered.firstMatch(of: #/volley_session=[0-9a-f]+/#)).output
        func made(_ origin: String) throws -> String {
            try curl("-X", "POST", "-H", "Cookie: \(cookie)", "-H", "Origin: \(origin)", place + "/links")
        }
        #expect(try made("https://rig.example").contains("https://rig.example/enter?token="))
        #expect(try made("http://rig.example").contains("another site"))
    }

    @Test("talks TLS with the certificate that it is given, and with no other key")
    func encryption() throws {
        func make(_ name: String) throws -> [String] {
            let files = ["certificate", "private-key"].map { rig.file("\(name)-\($0).pem") }
            let made = try run(
                "/usr/bin/openssl",
                ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
                    + ["-addext", "subjectAltName=DNS:localhost", "-out", files[0], "-keyout", files[1]])
            try #require(made.status == 0, "\(made.errors)")
            return files
        }
        let (own, other) = (try make("own"), try make("other"))
        let (place, jar) = ("localhost:\(rig.consolePort)", rig.file("jar"))
        let link = try rig.startConsole(["--name", place, "--certificate", own[0], "--private-key", own[1]])
        #expect(link.hasPrefix("https://\(place)/enter?token="))
        func curl(_ words: String...) throws -> ProgramResult { try run("/usr/bin/curl", ["-sS", "-b", jar] + words) }
        #expect(try curl(link).status == 60, "nobody knows this certificate")
        #expect(try curl("--cacert", other[0], link).status == 60)
        // Debian's OpenSSL refuses it by itself, unless it is told to accept what is weak.
        let weak = ["--ciphers", "DEFAULT@SECLEVEL=0", "--cacert", own[0]]
        #expect(try run("/usr/bin/curl", ["-sS", "--tls-max", "1.1"] + weak + [link]).status == 35)
        #expect(try run("/usr/bin/curl", ["-sSI", "--tls-max", "1.2"] + weak + [link]).status == 0)
        #expect(try curl(link.replacing("https:", with: "http:")).status != 0)
        #expect(try curl("--cacert", own[0], "-c", jar, link).status == 0)
        // A browser keeps what is marked so from everything without TLS.
        #expect(try String(contentsOfFile: jar, encoding: .utf8).contains("#HttpOnly_localhost\tFALSE\t/\tTRUE\t"))
        #expect(try curl("--cacert", own[0], "https://\(place)/captures/\(id)").output.contains(id))
        let next = try curl("--cacert", own[0], "-X", "POST", "https://\(place)/links").output
        #expect(next.contains("https://\(place)/enter?token="))
        #expect(rig.terminate("console") == 0)

        func refused(_ options: [String], _ status: Int32, _ words: String) throws {
            let told = try rig.program("volley-console", options, environment: rig.operatorEnvironment())
            #expect(told.status == status && told.errors.contains(words), "\(told)")
        }
        let key = rig.file("operator.key")
        try refused(["--certificate", own[0], "--private-key", other[1]], 78, "is not the key of the certificate")
        try refused(["--certificate", key, "--private-key", own[1]], 78, "there is no certificate in it")
        try refused(["--certificate", own[0], "--private-key", key], 78, "there is no private key in it")
        try refused(["--certificate", own[0]], 64, "both --certificate and --private-key")
        try refused(["--listen", "0.0.0.0:1"], 64, "say --unencrypted")
    }

    @Test("says what is wrong before it serves anybody")
    func refusals() throws {
        _ = try rig.startConsole()
        let taken = try rig.program(
            "volley-console", ["--listen", "127.0.0.1:\(rig.consolePort)"], environment: rig.operatorEnvironment())
        #expect(taken.status == 69 && taken.errors.contains("another program listens there"), "\(taken)")
        #expect(try rig.program("volley-console", ["--listen", "nowhere"]).status == 64)
        let keyless = try rig.program("volley-console", [], environment: ["VOLLEY_KEY": rig.file("none.key")])
        #expect(keyless.status == 78, "\(keyless)")
    }
}
