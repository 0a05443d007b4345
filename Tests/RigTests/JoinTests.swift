import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

@Suite("A board", .rigTimeLimit)
struct JoinTests {
    private struct Asked: Codable {
        let state: String
        let name: String?
        let words: String
        let isProved: Bool?
    }

    private struct Waiting: Codable {
        let name: String
        let words: String
        let remark: String?
    }

    private struct Node: Codable {
        let name: String
        let state: String
    }

    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        try rig.keygen("admin", into: "administrators")
    }

    private func pending() throws -> [Waiting] {
        try JSONDecoder().decode([Waiting].self, from: Data(try done("nodes", "pending", "--json").utf8))
    }

    private func nodes() throws -> [String: String] {
        let nodes = try JSONDecoder().decode([Node].self, from: Data(try done("nodes", "--json").utf8))
        return Dictionary(uniqueKeysWithValues: nodes.map { ($0.name, $0.state) })
    }

    @discardableResult
    private func done(_ arguments: String...) throws -> String {
        let result = try rig.volley(arguments, key: "admin")
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Starts a node that knows nothing but where the coordinator is.
    private func startBoard(_ name: String, seed: Int, code: String? = nil) throws {
        let configuration = try rig.write(
            name + ".yaml",
            """
            camera: simulated:\(seed)
            coordinator: 127.0.0.1:\(rig.controlPort)
            spool: \(rig.file("spool-" + name))
            """)
        // What is on its card counts for more, and may be missing.
        let card = rig.file(name + "-card.yaml")
        if let code { _ = try rig.write(name + "-card.yaml", "join: \(code)\n") }
        try rig.start(
            name, "volley-node", ["--config", configuration, "--card", card, "--name", name])
    }

    private func ask(_ key: String, _ name: String, code: String = "") throws -> Asked {
        let asked = try TestSupport.run(
            "/usr/bin/python3",
            [
                try rig.write("join.py", try LocalRig.script("def proquint")), "127.0.0.1", "\(rig.controlPort)",
                key, name, code,
            ])
        try #require(asked.status == 0, "\(asked.errors)")
        return try JSONDecoder().decode(Asked.self, from: Data(asked.output.utf8))
    }

    @Test("that is not ours joins as the page says: by its words, and by a join code that both ends prove to know")
    func foreignBoard() throws {
        try rig.keygen("stranger")
        let key = try String(contentsOfFile: rig.file("stranger.pub"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let first = try ask(key, "top")
        #expect(first.state == "pending" && first.name == nil)
        #expect(try pending().map(\.words) == [first.words])
        try done("nodes", "admit", first.words, "--as", "door")
        #expect(try ask(key, "top").name == "door")

        try rig.keygen("other")
        let other = try String(contentsOfFile: rig.file("other.pub"), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let code = try done("nodes", "invite", "--names", "ring-##")
        let wrong = try ask(other, "x", code: String(code.dropLast(2)) + (code.hasSuffix("00") ? "11" : "00"))
        #expect(wrong.state == "refused" && wrong.isProved == false)
        let joined = try ask(other, "x", code: code)
        #expect(joined.state == "admitted" && joined.name == "ring-01" && joined.isProved == true)
    }

    @Test("joins by words or by code, fires, and is renamed, retired and shut out while the rig goes on")
    func life() throws {
        let code = try done("nodes", "invite", "--count", "2", "--names", "ring-##")
        try startBoard("a", seed: 1)
        for (index, name) in ["b", "c", "d"].enumerated() { try startBoard(name, seed: 2 + index, code: code) }
        try rig.wait("a board to wait, and one to be one too many") { try pending().count == 2 }
        #expect(try pending().filter { $0.remark?.contains("as many as it is for") == true }.count == 1)
        try done("nodes", "admit", "a", "--as", "top")
        try rig.wait("three to be ready") { try nodes() == ["top": "ready", "ring-01": "ready", "ring-02": "ready"] }

        let plan = try rig.write("burst.yaml", "bracket: {burst: 3}\nlead: 6s\n")
        let id = try done("fire", plan)
        let early = try rig.volley(["nodes", "rename", "top", "front"], key: "admin")
        #expect(early.status == 75 && early.errors.contains(id), "it owes something under its name: \(early.errors)")
        #expect(
            try rig.volley(["nodes", "retire", "ring-01"], key: "admin").errors.contains(id),
            "it says what is still to come")
        try rig.wait("the capture to end") { try rig.volley("show", id).output.contains("complete") }
        #expect(try done("nodes", "--json").contains("retired"))
        try rig.wait("a new name") { try rig.volley(["nodes", "rename", "top", "front"], key: "admin").status == 0 }
        try rig.wait("it to be there under it") { try nodes()["front"] == "ready" }
        try done("fire", plan, "--wait")
        let second = try done("captures", "--json")
        #expect(second.contains("complete") && !second.contains("partial"), "a retired node is not asked")

        // In the middle of a capture.
        let last = try done("fire", try rig.write("best.yaml", "bracket: {burst: 3}\nlead: 2s\npolicy: bestEffort\n"))
        let revoked = try rig.volley(["nodes", "revoke", "ring-02"], key: "admin")
        #expect(revoked.status == 0 && revoked.errors.contains(last), "\(revoked.errors)")
        try rig.wait("the capture to end without it") { try rig.volley("show", last).output.contains("partial") }
        #expect(try nodes() == ["front": "ready", "ring-01": "retired"])
        try rig.wait("the other name to be refused") {
            try rig.volley(["nodes", "rename", "front", "ring-01"], key: "admin").status == 65
        }
        for (act, status) in [
            (["revoke", "ghost"], 1), (["admit", "ghost"], 1),
            (["admit", "--file", try rig.write("nobody.txt", "# nobody yet\n")], 64),
        ] {
            #expect(try rig.volley(["nodes"] + act, key: "admin").status == status)
        }
    }

    @Test("is for administrators to admit, and who may do what can be changed while the rig runs")
    func roles() throws {
        try rig.keygen("anna")
        #expect(try rig.volley("nodes", "invite").status == 77, "an operator does not administer")
        #expect(try rig.volley("operators").status == 77)
        try done("operators", "add", "anna", rig.file("anna.pub"), "--role", "watch")
        let plan = try rig.write("burst.yaml", "bracket: {burst: 1}\n")
        func anna(_ arguments: String...) throws -> Int32 { try rig.volley(arguments, key: "anna").status }
        #expect(try anna("nodes") == 0)
        #expect(try anna("fire", plan) == 77, "whoever watches does not fire")
        try done("operators", "role", "anna", "operate")
        #expect(try anna("fire", plan) == 69, "she may, but there are no nodes")
        try done("operators", "remove", "anna")
        #expect(try anna("nodes") == 77)
        #expect(
            try rig.volley(["operators", "remove", "admin"], key: "admin").status == 65, "nobody locks themselves out")
        #expect(try done("operators").contains("administer"))
        let audit = try done("audit", "--since", "1h", "--json")
        let entries = try JSONDecoder().decode([AuditDocument].self, from: Data(audit.utf8))
        let key = try String(contentsOfFile: rig.file("anna.pub"), encoding: .utf8).filter { !$0.isWhitespace }
        #expect(entries.filter { $0.user == "anna" }.map(\.result) == ["notAllowed", "unavailable"])
        #expect(entries.filter { $0.user == "anna" }.allSatisfy { $0.key == key && $0.act == "fire" })
        let turnedAway = entries.filter { $0.act == "connect" }
        #expect(
            turnedAway.map(\.key) == [key] && turnedAway.map(\.user) == ["unknown"], "once, however often she tries")
        #expect(entries.filter { $0.user == "admin" }.map(\.result) == ["done", "done", "done", "invalid"])
    }

    @Test(
        "that is a copy of another one is turned away, and one that was left by its coordinator joins the new one by a code"
    )
    func copies() throws {
        let files = FileManager.default
        try startBoard("a", seed: 1, code: try done("nodes", "invite", "--names", "top"))
        try rig.wait("the board to be ready") { try nodes()["top"] == "ready" }
        let audit = try JSONDecoder().decode([AuditDocument].self, from: Data(try done("audit", "--json").utf8))
        #expect(audit.map(\.act) == ["invite", "join"] && audit.last?.user == "top")
        // Another board with a copy of its card.
        try files.copyItem(atPath: rig.file("spool-a"), toPath: rig.file("spool-b"))
        try startBoard("b", seed: 2)
        try rig.wait("the copy to be noticed") { try rig.log("b").contains("one is a copy of the other") }
        #expect(try nodes() == ["top": "ready"])
        rig.kill9("b")

        // The coordinator is installed anew, with another key and nobody in it.
        #expect(rig.terminate("coordinator") == 0)
        for file in ["coordinator.key", "coordinator.pub", "nodes/top.pub"] {
            try files.removeItem(atPath: rig.file(file))
        }
        try rig.keygen("coordinator")
        try rig.startCoordinator()
        try rig.wait("the board to stay with the key that it knows") {
            try rig.log("a").contains("or is not the one that it joined")
        }
        #expect(try pending().isEmpty && nodes() == [:])
        let code = try done("nodes", "invite", "--names", "top")
        #expect(rig.terminate("a") == 0)
        try startBoard("a", seed: 1, code: code)
        try rig.wait("the board to be ready again") { try nodes()["top"] == "ready" }

        // A typing error on its card does not take it out.
        #expect(rig.terminate("a") == 0)
        try startBoard("a", seed: 1, code: "00000-00000-00000-00000-00000")
        try rig.wait("the board to be back") { try nodes()["top"] == "ready" }
        #expect(try rig.log("a").contains("goes on where it is"))
    }
}
