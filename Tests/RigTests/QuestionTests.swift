import CaptureModel
import Foundation
import TestSupport
import Testing

/// With the rig and without it the answers are the same.
@Suite("Questions about captures", .rigTimeLimit)
struct QuestionTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.startCoordinator()
        for (index, node) in ["top-1", "top-2", "door"].enumerated() { try rig.startNode(node, seed: index + 1) }
        try rig.awaitReady(3)
    }

    private func fire(_ arguments: String...) throws -> String {
        let plan = try rig.write("plan.yaml", "name: pair\nbracket: {burst: 2}\nformats: [jpeg, dng]\n")
        let fired = try rig.volley(["fire", plan, "--wait"] + arguments)
        try #require(fired.status == 0, "\(fired.errors)")
        return fired.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func answers(_ arguments: [String]) throws -> ProgramResult {
        let (asked, read) = (try rig.volley(arguments), try rig.volley(arguments + ["--library", rig.library]))
        #expect(asked.output == read.output && asked.status == read.status, "\(arguments): \(asked) \(read)")
        return asked
    }

    private func lines(_ arguments: String...) throws -> [String] {
        try answers(arguments).output.split(separator: "\n").map(String.init)
    }

    @Test("have files for an answer, or what is wrong with the question")
    func photos() throws {
        let (first, second) = (try fire("--session", "monday", "--label", "subject=anna"), try fire())
        let chosen = try lines("photos", "--session", "monday", "--node", "top-*", "--step", "2", "--format", "jpeg")
        #expect(chosen.count == 2 && chosen.allSatisfy { FileManager.default.fileExists(atPath: $0) }, "\(chosen)")
        // Which files those are, exiftool says.
        let read = try run("/usr/bin/exiftool", ["-s3", "-ImageDescription", "-BodySerialNumber"] + chosen)
        #expect(read.status == 0, "\(read.errors)")
        for (node, path) in zip(["top-1", "top-2"], chosen) { #expect(path.hasSuffix("\(node)_\(first)_02.jpg")) }
        #expect(try lines("photos", "--capture", "last").count == 12)
        #expect(try lines("photos", "--capture", String(first.suffix(6)), "--long").count == 13)
        #expect(try lines("photos").allSatisfy { $0.hasPrefix(rig.library + "/photos/") })
        let nothing = try answers(["photos", "--node", "tpo-*"])
        #expect(nothing.status == 0 && nothing.errors.contains("No capture had a node 'tpo-*'"), "\(nothing.errors)")
        let part = try answers(["photos", "--limit", "5"])
        #expect(part.errors.contains("5 of 24 shown"), "\(part.errors)")
        #expect(try lines("show", "last").first?.contains(second) == true)
        #expect(try lines("show", String(first.suffix(7))).first?.contains(first) == true)
        let several = try answers(["show", String(first.prefix(5))])
        #expect(several.status == 65 && several.errors.contains(second), "\(several.errors)")
        #expect(try answers(["show", "99999999"]).status == 1)
        #expect(try rig.volley("photos", "--step", "0").status == 64)
        #expect(try rig.volley("captures", "--since", "soon").status == 64)
    }

    @Test("are about sessions, labels, spreads and the rig as a whole")
    func overviews() throws {
        let id = try fire("--session", "monday", "--label", "subject=anna")
        _ = try fire("--session", "tuesday")
        let sessions = try lines("sessions")
        #expect(sessions.count == 3 && sessions[1].hasPrefix("tuesday") && sessions[2].contains("12/12"), "\(sessions)")
        #expect(try lines("labels").last?.contains("anna") == true)
        #expect(try lines("captures", "--label", "subject=anna", "--since", "-1h").last?.contains(id) == true)
        #expect(try lines("captures", "--min-spread", "50s").count == 1, "the head alone")
        #expect(try lines("captures", "--node", "door", "--state", "partial", "--state", "complete").count == 3)
        #expect(try lines("captures", "--operator", "operator", "--plan", "pair").count == 3)
        let spreads = try lines("captures", "--widest-first")
        #expect(spreads.count == 3 && spreads.allSatisfy { !$0.contains("nan") })

        let well = try rig.volley("status", "--json")
        #expect(well.output.contains(#""readyNodeCount" : 3"#), "\(well.output)")
        rig.kill9("door")
        try rig.wait("somebody to miss a node") {
            let status = try rig.volley("status")
            return status.status == 1 && status.output.contains("2 of 3 ready") && status.output.contains("door")
        }
    }
}
