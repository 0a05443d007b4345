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
        #expect(try rig.volley("rate", one, "4", "--step", "9").errors.contains("No photo is like that"))
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
}
