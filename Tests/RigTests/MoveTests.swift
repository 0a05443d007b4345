import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

@Suite("A coordinator that is moved to another machine", .rigTimeLimit)
struct MoveTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        for folder in ["state", "state/administrators"] {
            try FileManager.default.createDirectory(
                atPath: rig.file(folder), withIntermediateDirectories: true)
        }
        try rig.keygen("admin", into: "state/administrators")
        // Other tests' rigs are set up by hand; here it is as the packages have it.
        try? FileManager.default.removeItem(atPath: rig.file("coordinator.key"))
        try? FileManager.default.removeItem(atPath: rig.file("coordinator.pub"))
    }

    private func start(_ machine: String) throws {
        let configuration = try rig.write(
            "coordinator-\(machine).yaml",
            "port: \(rig.controlPort)\nstate: \(rig.file(machine))\nlibrary: \(rig.file("library-" + machine))\n")
        try rig.startCoordinator(configuration: configuration, as: machine)
        try? FileManager.default.removeItem(atPath: rig.file("coordinator.pub"))
        try FileManager.default.copyItem(
            atPath: rig.file(machine + "/coordinator.pub"), toPath: rig.file("coordinator.pub"))
    }

    private func move(_ command: String, _ folder: String, _ machine: String) throws -> ProgramResult {
        try rig.program(
            "volley-coordinator", [command, rig.file(folder), "--config", rig.file("coordinator-\(machine).yaml")])
    }

    private func done(_ arguments: String...) throws -> String {
        let result = try rig.volley(arguments, key: "admin")
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("takes its key, its rig and its catalogue along, and its boards follow")
    func moved() throws {
        let files = FileManager.default
        try start("state")
        let code = try done("nodes", "invite", "--names", "top")
        let board = try rig.write(
            "board.yaml",
            "camera: simulated:1\ncoordinator: 127.0.0.1:\(rig.controlPort)\njoin: \(code)\nspool: \(rig.file("spool"))\n"
        )
        try rig.start(board, as: "board")
        func awaitReady() throws {
            try rig.wait("the board to be ready") { try done("nodes", "--json").contains(#""state" : "ready""#) }
        }
        try awaitReady()
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\n")
        let first = try done("fire", plan, "--wait")
        let saved = try move("backup", "saved", "state")
        #expect(saved.status == 0 && saved.errors.contains("1 capture,"), "\(saved.errors)")
        let mode = try files.attributesOfItem(atPath: rig.file("saved"))[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(try move("backup", "saved", "state").status == 78, "it overwrites nothing")
        // Taken after the copy: it comes along with the photos.
        let second = try done("fire", plan, "--wait")

        #expect(rig.terminate("state") == 0)
        try files.copyItem(atPath: rig.file("library-state"), toPath: rig.file("library-spare"))
        try files.removeItem(atPath: rig.file("library-spare/catalogue.sqlite"))
        // The package has started there, and made a key of its own.
        try start("spare")
        #expect(try move("restore", "saved", "spare").status == 75, "it runs")
        #expect(rig.terminate("spare") == 0)
        let restored = try move("restore", "saved", "spare")
        #expect(restored.status == 0 && restored.errors.contains("What was here is now"), "\(restored.errors)")
        try start("spare")
        try awaitReady()
        let third = try done("fire", plan, "--wait")
        let captures = try done("captures", "--json")
        for id in [first, second, third] { #expect(captures.contains(id), "\(captures)") }
        #expect(Int(third) ?? 0 > Int(second) ?? .max)
        let acts = try JSONDecoder().decode([AuditDocument].self, from: Data(try done("audit", "--json").utf8)).map(
            \.act)
        #expect(acts.starts(with: ["invite", "join", "fire"]), "\(acts)")
        #expect(try rig.volley("verify", rig.file("library-spare")).status == 0)
    }

    @Test("is left as it is by a folder that is no backup, or a configuration that is in pieces")
    func refused() throws {
        try start("state")
        #expect(try move("restore", "library-state", "state").status == 78)
        _ = try rig.write("coordinator-pieces.yaml", "library: l\nstate: s\nkey: k\n")
        let pieces = try move("backup", "saved", "pieces")
        #expect(pieces.status == 78 && pieces.errors.contains("can be moved as a whole"), "\(pieces.errors)")
        #expect(!FileManager.default.fileExists(atPath: rig.file("saved")))
    }
}
