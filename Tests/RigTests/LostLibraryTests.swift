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

    @Test(
        "that refuses to be read is lost, and is not taken for a damaged catalogue",
        .enabled(if: access("/dev/loop-control", W_OK) == 0, "it needs loop devices"))
    func refusesReads() throws {
        let rig = try LocalRig()
        let image = rig.file("disk.img")
        try FileManager.default.createDirectory(atPath: rig.library, withIntermediateDirectories: true)
        let made = try run("/bin/sh", ["-c", "truncate -s 128M \(image) && mkfs.ext4 -q \(image)"])
        try #require(made.status == 0, "\(made.errors)")
        // By a device of its own each time, as a stick gets: two mounts of one would share what has failed.
        func plugIn() throws -> String {
            let device = try run("/usr/sbin/losetup", ["-f", "--show", image]).output
                .trimmingCharacters(in: .whitespacesAndNewlines)
            try mount(device, rig.library)
            return device
        }
        var devices = [try plugIn()]
        defer {
            _ = try? run("/usr/bin/umount", ["-l", rig.library])
            for device in devices { _ = try? run("/usr/sbin/losetup", ["-d", device]) }
        }
        let plan = try begin(rig)
        // EXT4_IOC_SHUTDOWN: all that is asked of the file system from now on fails, as of a disk that was pulled.
        let shutdown =
            "import fcntl, os, struct, sys; fcntl.ioctl(os.open(sys.argv[1], 0), 0x8004587d, struct.pack('I', 1))"
        let pulled = try run("/usr/bin/python3", ["-c", shutdown, rig.library])
        try #require(pulled.status == 0, "\(pulled.errors)")
        for words in [["fire", plan, "--wait"], ["check", plan], ["captures"], ["show", "last"]] {
            let told = try rig.volley(words)
            // What the kernel has in memory can be read still.
            #expect(
                told.status == 75 || told.status == 0 && ["captures", "show"].contains(words.first), "\(words): \(told)"
            )
            #expect(!(told.output + told.errors).contains("damaged"), "\(words): \(told)")
        }
        try rig.wait("status to say so") { try rig.volley("status").output.contains("The library's disk is lost") }
        #expect(try rig.volley("check", plan).status == 75)
        _ = try run("/usr/bin/umount", ["-l", rig.library])
        devices.append(try plugIn())
        try rig.wait("the coordinator to take it up") { try rig.volley("fire", plan, "--wait").status == 0 }
        #expect(try rig.volley("verify", rig.library).status == 0)
    }

    @Test("that has no place for another file says so, and takes photos again once it has")
    func noInodes() throws {
        let rig = try LocalRig()
        let disk = try SmallDisk(rig.library, megabytes: 128, files: 60)
        let plan = try begin(rig)
        var litter: [String] = []
        while FileManager.default.createFile(atPath: "\(disk.path)/litter-\(litter.count)", contents: nil) {
            litter.append("\(disk.path)/litter-\(litter.count)")
        }
        try rig.wait("status to say so") { try rig.volley("status").output.contains("no place for another file") }
        let check = try rig.volley("check", plan)
        #expect(check.status == 75 && check.errors.contains("df -i"), "\(check)")
        for path in litter { unlink(path) }
        try rig.wait("it to take photos again") { try rig.volley("fire", plan, "--wait").status == 0 }
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
