import CaptureModel
import Foundation
import TestSupport
import Testing

@Suite("At a first boot", .rigTimeLimit)
struct FirstBootTests {
    private let rig: LocalRig

    init() throws {
        rig = try LocalRig()
        try rig.keygen("admin", into: "administrators")
    }

    private func done(_ arguments: String...) throws -> String {
        let result = try rig.volley(arguments, key: "admin")
        try #require(result.status == 0, "\(arguments): \(result.errors)")
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func awaitReady() throws {
        try rig.wait("the board to be ready") { try done("nodes", "--json").contains(#""state" : "ready""#) }
    }

    private let epoch = ["/usr/bin/datefudge", "1970-01-01 00:00:40 UTC"]

    @Test("a board whose clock shows 1970 joins by a code, and its photos have the rig's time")
    func board() throws {
        try rig.startCoordinator()
        let code = try done("nodes", "invite", "--names", "top")
        let board = try rig.write(
            "board.yaml",
            "camera: simulated:1\ncoordinator: 127.0.0.1:\(rig.controlPort)\njoin: \(code)\nspool: \(rig.file("spool"))\n"
        )
        let node = BuiltPrograms.folder.appendingPathComponent("volley-node").path
        try rig.start("board", epoch[0], [epoch[1], node, "--config", board])
        try awaitReady()
        let id = try done("fire", try rig.write("plan.yaml", "bracket: {burst: 1}\n"), "--wait")
        let path = try #require(try rig.capture(id).photos.first?.path)
        let dated = try run("/usr/bin/exiftool", ["-s3", "-DateTimeOriginal", rig.library + "/" + path]).output
        #expect(!dated.isEmpty && !dated.hasPrefix("1970"), "\(dated)")
        #expect(try rig.log("board").hasPrefix("1970"), "the board did live then")
    }

    @Test("a coordinator whose clock shows 1970 loses nothing when it is set")
    func coordinator() throws {
        let plan = try rig.write("plan.yaml", "bracket: {burst: 1}\n")
        try rig.startCoordinator(through: epoch)
        try rig.startNode("top", seed: 1)
        try rig.awaitReady(1)
        let first = try done("fire", plan, "--wait")
        #expect(rig.terminate("coordinator") == 0)
        try rig.startCoordinator()
        try rig.awaitReady(1)
        let second = try done("fire", plan, "--wait")
        #expect(Int(second) ?? 0 > Int(first) ?? .max)
        #expect(try rig.capture(first).summary.state == .complete)
        #expect(try rig.capture(second).summary.state == .complete)
        try rig.awaitClean("top")
    }

    @Test("a board that finds no coordinator by name waits for it, and says how it can be helped")
    func noMulticast() throws {
        let board = try rig.write(
            "board.yaml", "camera: simulated:1\ncoordinator: nobody.invalid\nspool: \(rig.file("spool"))\n")
        try rig.start(board, as: "board")
        try rig.wait("it to look") { try rig.log("board").contains("nobody.invalid") }
        // It asks every two seconds: once more, at least, and nothing tells when it has.
        usleep(2_500_000)
        let log = try rig.log("board")
        #expect(rig.isRunning("board"), "\(log)")
        let doctor = try rig.program("volley-node", ["doctor", "--config", board])
        #expect(doctor.status == 1 && doctor.output.contains("check 'coordinator' in the configuration"))
        #expect(doctor.output.contains("This board has not joined a rig"), "\(doctor.output)")
    }
}
