import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("A library that people look through", .rigTimeLimit)
struct KeepingTests {
    @Test("keeps what they say of captures and photos, also where its catalogue is made anew")
    func annotations() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        func fire(_ words: String...) throws -> String {
            let fired = try rig.volley(["fire", "--burst", "2", "--wait"] + words)
            try #require(fired.status == 0, "\(fired.errors)")
            return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let one = try fire("--session", "day", "--subject", "vase")
        let two = try fire("--session", "day", "--subject", "vase")
        #expect(try rig.capture(one).summary.take == 1 && rig.capture(two).summary.take == 2)
        func say(_ words: String...) throws -> String {
            let said = try rig.volley(words)
            try #require(said.status == 0, "\(words): \(said.errors)")
            return said.errors
        }
        #expect(try say("rate", one, "4") == "1 capture: rating 4.\n")
        #expect(try say("rate", "last", "5", "--step", "2") == "1 photo of 1 capture: rating 5.\n")
        _ = try say("reject", "last", "--node", "nor*", "--step", "1")
        _ = try say("note", one, "the light was low")
        _ = try say("label", "all", "--session", "day", "client=acme", "kind=still")
        _ = try say("label", one, "--remove", "kind")
        #expect(try say("rename", "all", "--session", "day", "--to-session", "monday").hasPrefix("2 captures:"))
        let shown = try rig.volley("show", one).output
        for words in ["Rating 4", "Note: the light was low", "Session monday", "Subject vase, take 1", "client=acme"] {
            #expect(shown.contains(words), "\(shown)")
        }
        func paths(_ words: String...) throws -> Int {
            try rig.volley(["photos"] + words).output.split(separator: "\n").count
        }
        #expect(try paths("--min-rating", "5") == 1 && paths("--min-rating", "4") == 3)
        #expect(try paths("--rejected") == 1 && paths("--without-rejected", "--subject", "vase") == 3)
        #expect(try rig.volley("captures", "--min-rating", "4").output.contains(one))
        // What cannot be said.
        #expect(try rig.volley("rate", one, "6").status == 64 && rig.volley("rate", "all", "3").status == 64)
        #expect(try rig.volley("label", one, "a\u{1B}=b").status == 65)
        #expect(try rig.volley("label", one, "a=b", "--step", "1").status == 65)
        #expect(try rig.volley("note", "all", "x", "--session", "tuesday").errors.contains("no session 'tuesday'"))
        #expect(try rig.volley("rate", one, "4", "--step", "9").errors.contains("No photo matches"))
        let (before, other) = (try rig.capture(one), try rig.capture(two))
        #expect(rig.terminate("coordinator") == 0)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: rig.library + "/catalogue.sqlite" + suffix)
        }
        #expect(try rig.volley("rebuild", rig.library).status == 0)
        #expect(try rig.volley("verify", rig.library).status == 0)
        try rig.startCoordinator()
        #expect(try rig.capture(one) == before && rig.capture(two) == other)
    }

    @Test("puts what is deleted into its trash, gives it back, and removes it for good, over a new catalogue")
    func trash() throws {
        let rig = try LocalRig()
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        func fire() throws -> String {
            let fired = try rig.volley("fire", "--burst", "2", "--wait", "--session", "day")
            try #require(fired.status == 0, "\(fired.errors)")
            return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let (one, two) = (try fire(), try fire())
        try rig.keygen("admin", into: "administrators")
        func run(
            _ words: String..., key: String = "operator", status: Int32 = 0
        ) throws -> (output: String, errors: String) {
            let done = try rig.volley(words, key: key)
            try #require(done.status == status, "\(words): \(done.status) \(done.errors)")
            return (done.output, done.errors)
        }
        func files(_ folder: String) -> [String] {
            let all =
                FileManager.default.enumerator(atPath: "\(rig.library)/\(folder)")?.compactMap { $0 as? String } ?? []
            return all.filter { $0.hasSuffix(".jpg") || $0.hasSuffix(".xmp") }.sorted()
        }
        let path = try run("photos", "--capture", one).output.split(separator: "\n").first.map(String.init)
        let sidecar = try #require(path).replacing(".jpg", with: ".xmp")
        #expect(FileManager.default.createFile(atPath: sidecar, contents: Data([1])))
        #expect(try run("delete", "all", "--session", "day", "--dry-run").output.contains(two))
        #expect(try run("delete", one).errors.hasPrefix("2 photos of 1 capture"))
        #expect(try run("delete", one, status: 1).errors.contains("was deleted on"))
        #expect(try run("delete", "last", "--step", "2").errors.hasPrefix("1 photo of 1 capture"))
        #expect(try !run("captures").output.contains(one))
        #expect(try run("captures", "--deleted").output.contains(one))
        #expect(try run("show", one).output.contains("Deleted on"))
        #expect(try run("trash").output.contains(one))
        try rig.wait("files to follow") { files("trash").count == 3 && files("photos").count == 2 }
        #expect(FileManager.default.fileExists(atPath: sidecar), "it is not Volley's")
        #expect(try run("trash", "recover", one).errors.hasPrefix("Put back: 2 photos of 1 capture"))
        try rig.wait("files to follow") { files("trash").count == 1 && files("photos").count == 4 }
        _ = try run("delete", one)
        _ = try run("trash", "empty", "--yes", status: 77)
        try rig.wait("files to follow") { files("trash").count == 3 }
        #expect(try run("trash", "empty", "--dry-run").errors.contains("3 photos of 2 captures"))
        #expect(try run("trash", "empty", key: "admin", status: 64).errors.contains("--yes"))
        #expect(try run("trash", "empty", one, "--yes", key: "admin").errors.contains("2 photos of 1 capture"))
        try rig.wait("files to follow") { files("trash").count == 1 }
        #expect(try run("trash", "recover", one, status: 1).errors.contains("Nothing of that is in the trash"))
        #expect(try run("audit", key: "admin").output.contains("empty"))
        let (before, other) = (try rig.capture(one), try rig.capture(two))
        #expect(rig.terminate("coordinator") == 0)
        let verified = try run("verify", rig.library)
        #expect(verified.errors.contains("3 deleted") && verified.errors.contains(".xmp"), "\(verified.errors)")
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: rig.library + "/catalogue.sqlite" + suffix)
        }
        _ = try run("rebuild", rig.library)
        _ = try run("verify", rig.library)
        try rig.startCoordinator()
        #expect(try rig.capture(one) == before && rig.capture(two) == other)
    }
}
