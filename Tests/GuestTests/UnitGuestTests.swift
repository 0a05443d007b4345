import CaptureModel
import Foundation
import TestSupport
import Testing

extension InTheGuest.SecondRow {
    @Suite(
        "The shipped units (under systemd, in an emulated guest)",
        .enabled(
            if: Guest.mustRun || Guest.missing.isEmpty,
            "needs qemu-system-x86, busybox-static, cpio, v4l-utils, systemd"))
    struct UnitGuestTests {
        @Test(
            "start in their sandbox, fire, know the clock, end a camera that hangs, and keep photos for their group",
            .timeLimit(.minutes(60)))
        func units() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "units.sh", options: ["--systemd"])
            defer { try? FileManager.default.removeItem(at: run.share) }
            let logs = try run.text("coordinator.log") + run.text("node.log")
            try #require(run.status == 0, "\(run.output)\n\(logs)")
            #expect(try run.text("verify.txt").isEmpty)
            for name in ["burst", "kept", "after"] {
                #expect(try run.text(name + ".status") == "0", "\(logs)")
                #expect(try run.capture(name + ".json").summary.state == .complete)
            }
            let clocks = try run.text("clocks.json")
            #expect(clocks.contains(#""status" : "active""#), "\(clocks)")
            for unit in ["coordinator", "node"] {
                let state = try run.text(unit + ".state").split(separator: "\n").sorted()
                #expect(state == ["ActiveState=active", "NRestarts=0", "User=volley"], "\(logs)")
            }
            // What systemd says, and what it went by.
            let hung = try run.text("hung.log")
            #expect(try run.text("hung.restarts") == "1", "\(hung)")
            #expect(hung.contains("Watchdog timeout") && hung.contains("driver hangs"), "\(hung)")
            #expect(try run.text("stop.status") == "0")
            #expect(try run.text("retoucher.read") == "ff d8")
            #expect(try run.text("stranger.read").isEmpty)
        }
    }
}
