import Foundation
import TestSupport
import Testing

/// The README's commands, run as they stand there, from a folder that has nothing to do with the repository.
@Suite("The README", .rigTimeLimit)
struct ReadmeTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: BuiltPrograms.repository.appendingPathComponent(path), encoding: .utf8)
    }

    /// The blocks of code of a page, by their language.
    private func blocks(_ language: String, of path: String) throws -> [String] {
        try text(path).components(separatedBy: "\n```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
    }

    @Test("says what works, word for word", .enabled(if: geteuid() == 0, "it has a network of its own"))
    func commands() throws {
        let blocks = try blocks("sh", of: "README.md")
        #expect(blocks.count == 3)
        let scratch = try Scratch()
        // The default ports are free in a network of its own; whatever it leaves running ends with its processes.
        let script = "set -e; ip link set lo up; " + blocks.joined(separator: "\n")
        let ran = try run(
            "/usr/bin/unshare",
            ["--net", "--pid", "--fork", "--mount-proc", "--kill-child", "/bin/bash", "-c", script],
            environment: [
                "PATH": BuiltPrograms.folder.path + ":/usr/bin:/bin:/usr/sbin:/sbin", "HOME": scratch.path,
                "VOLLEY_COORDINATOR": "127.0.0.1",
            ], folder: scratch.url)
        #expect(ran.status == 0, "\(ran.output)\n\(ran.errors)")
        for words in [
            "complete: 24 of 24 photos of 4 nodes", "complete: 6 of 6 photos of 2 nodes",
            "complete: 12 of 12 photos of 2 nodes", "3 captures: 3 complete",
        ] {
            #expect((ran.output + ran.errors).contains(words), "\(ran.output)\n\(ran.errors)")
        }
        let fetched = FileManager.default.enumerator(atPath: scratch.path + "/rig/photos")?
            .compactMap { $0 as? String }.filter { $0.hasSuffix(".jpg") }
        #expect(fetched?.count == 6, "\(ran.errors)")
    }

    @Test("leads to pages that are there, as they do")
    func links() throws {
        let pages = [
            "README.md", "Sources/README.md", "Sources/volley/operating.md", "Sources/volley/questions.md",
            "Sources/volley/troubleshooting.md",
            "Sources/volley/glossary.md", "Sources/RigConfiguration/plans.md", "Sources/RigMembership/boards.md",
            "Sources/RigMembership/security.md", "Sources/RigRules/theory.md", "Sources/RigProtocol/wire.md",
            "Sources/OperatorConsole/console.md", "Tests/FAULTS.md",
        ]
        for page in pages {
            let folder = BuiltPrograms.repository.appendingPathComponent(page).deletingLastPathComponent()
            for link in try text(page).matches(of: #/\]\(([^)#]+)[^)]*\)/#) where !link.1.hasPrefix("http") {
                let target = folder.appendingPathComponent(String(link.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(page): \(link.1)")
            }
        }
    }

    private func help(_ words: String...) throws -> String {
        try run(BuiltPrograms.folder.appendingPathComponent("volley").path, ["help"] + words).output
    }

    @Test("names commands and options that there are")
    func options() throws {
        for page in ["README.md", "Sources/volley/operating.md", "Sources/volley/questions.md"] {
            let calls = try text(page).matches(
                of: #/(?:^|[`;]\s?)volley ([a-z][a-z-]*)((?: [a-z]+)?)([^`;\n#]*)/#.anchorsMatchLineEndings())
            for call in calls {
                let (command, word) = (String(call.1), call.2.trimmingCharacters(in: .whitespaces))
                let help = try help(command)
                #expect(help.contains("USAGE: volley \(command)"), "\(page): \(call.0)")
                let all = help + (try self.help(command, "list")) + (word.isEmpty ? "" : try self.help(command, word))
                for option in String(call.3).matches(of: #/--[a-z][a-z-]*/#) where !call.3.contains("ssh ") {
                    #expect(all.contains(option.0), "\(page): \(call.0)")
                }
            }
        }
    }
}
