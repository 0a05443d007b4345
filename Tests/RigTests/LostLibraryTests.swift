import CaptureModel
import Foundation
import TestSupport
import Testing

/// Library disks that are lost, or full to the last byte, while a rig runs.
@Suite("A library's disk", .enabled(if: geteuid() == 0, "it mounts"), .rigTimeLimit)
struct LostLibraryTests {
    private func begin(_ rig: LocalRig) throws -> String {
        try rig.startCoordinator()
        try rig.startNode("north", seed: 1)
        try rig.awaitReady(1)
        let plan = try rig.write("plan.yaml", "bracket: {burst: 2}\n")
        let fired = try rig.volley("fire", plan, "--wait")
        try #require(fired.status == 0, "\(fired.errors)")
        return plan
    }

    private func mount(_ arguments: String...) throws {
        let made = try run("/usr/bin/mount", arguments)
        try #require(made.status == 0, "\(made.errors)")
    }

    @Test("that is lost is told of in seconds by whoever asks, and taken up when it is there again")
    func lost() throws {
        let rig = try LocalRig()
        let disk = rig.file("disk")
        for folder in [disk, rig.library] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        try mount("--bind", disk, rig.library)
        defer { _ = try? run("/usr/bin/umount", ["-l", rig.library]) }
        let plan = try begin(rig)
        _ = try run("/usr/bin/umount", ["-l", rig.library])
        let since = ContinuousClock.now
        try rig.wait("status to say so") { try rig.volley("status").output.contains("The library's disk is lost") }
        #expect(since.duration(to: .now) < .seconds(20), "ten seconds, on a machine that has nothing else to do")
        // Watchers hear of it as well, and a fire is refused before anything happens.
        let refused = try rig.volley("fire", plan, "--wait")
        #expect(refused.status == 75, "\(refused.errors)")
        try mount("--bind", disk, rig.library)
        try rig.wait("the coordinator to take it up") {
            try !rig.volley("status").output.contains("is lost") && rig.volley("fire", plan, "--wait").status == 0
        }
        #expect(try rig.volley("captures").output.components(separatedBy: " complete ").count >= 3)
    }

    @Test("that is full has its trash emptied all the same, and what it cannot keep is withdrawn")
    func full() throws {
        let rig = try LocalRig()
        let disk = try SmallDisk(rig.library, megabytes: 128)
        try rig.keygen("admin", into: "administrators")
        let plan = try begin(rig)
        try rig.wait("room to be kept for it") {
            FileManager.default.fileExists(atPath: rig.library + "/reserve")
        }
        let deleted = try rig.volley("delete", "last")
        #expect(deleted.status == 0, "\(deleted.errors)")
        #expect(try rig.volley("fire", plan, "--wait").status == 0)
        // The log has grown by now; what is filled up anew has none.
        _ = rig.terminate("coordinator")
        try rig.startCoordinator()
        try rig.awaitReady(1)
        disk.fill()
        try rig.wait("status to say so") { try rig.volley("status").output.contains("The library's disk is full") }
        let since = ContinuousClock.now
        let rated = try rig.volley("note", "last", String(repeating: "much ", count: 300))
        #expect(since.duration(to: .now) < .seconds(20))
        // The log of a catalogue may have room for a little still.
        if rated.status != 0 {
            #expect(rated.status == 75 && rated.errors.contains("nothing will be"), "\(rated.errors)")
        }
        let emptied = try rig.volley(["trash", "empty", "--yes"], key: "admin")
        #expect(emptied.status == 0, "\(emptied.errors)")
        disk.free()
        try rig.wait("it to take photos again") { try rig.volley("fire", plan, "--wait").status == 0 }
        if rated.status != 0 { #expect(try !rig.volley("show", "last").output.contains("much much")) }
        #expect(try rig.volley("verify", rig.library).status == 0)
    }
}
