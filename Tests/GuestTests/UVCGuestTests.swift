import CaptureModel
import Foundation
import TestSupport
import Testing

extension InTheGuest {
    @Suite(
        "Cameras on a USB bus (vhci-hcd, in an emulated guest)",
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct UVCGuestTests {
        @Test("gives USB cameras their brackets through uvcvideo", .timeLimit(.minutes(25)))
        func uvc() throws {
            #expect(Guest.missing.isEmpty)
            let run = try GuestRun(script: "uvc.sh", seconds: 1400)
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let driver = try run.text("driver.log")
            #expect(try run.text("driver.status") == "0", "\(driver)")
            #expect(driver.split(separator: "\n").count { $0.hasPrefix("✔ Test \"") } >= 10, "\(driver)")
            // An emulated machine stumbles now and then; most brackets must cost no frame too many.
            let consecutive = driver.split(separator: "\n").count { $0.hasPrefix("consecutive:") }
            #expect(consecutive >= 12, "of 15 brackets: \(driver)")
            #expect(try run.text("cameras.txt").contains("Volley Virtual Camera, serial BY-HAND"))
            let words = try run.text("calibrate.err")
            #expect(try run.text("calibrate.status") == "0", "\(words)")
            #expect(try run.text("profile.json").contains("\"exposureDuration\" : 3"))
            try expectShoot(run)
            #expect(try run.text("long.status") == "65")
            #expect(try run.text("long.err").contains("takes 1/10000 s to 1.0 s"))
            #expect(try run.text("nobody.status") == "69")
            #expect(try run.text("nobody.err").contains("no video device 'NOBODY'"))
            if Guest.mustRun || FileManager.default.fileExists(atPath: run.share.path + "/examples.status") {
                let examples = try run.text("examples.log")
                #expect(try run.text("examples.status") == "0", "\(examples)")
            }
            let idle = try #require(Int(try run.text("idle.kib")))
            #expect((1024...12 * 1024).contains(idle), "an idle node has taken \(idle) KiB")
        }

        private func expectShoot(_ run: GuestRun) throws {
            let words = try run.text("shoot.err")
            #expect(try run.text("shoot.status") == "0", "\(words)")
            let events = try run.events("shoot.jsonl")
            #expect(events.map(\.sequence) == events.indices.map { $0 + 1 }, "\(words)")
            let photos = events.compactMap(\.photo)
            #expect(photos.count == 3)
            #expect(photos.allSatisfy { $0.verification == .verified }, "\(photos)")
            let files = try FileManager.default.contentsOfDirectory(atPath: run.share.path + "/photos")
            #expect(files.count == 3 && files.allSatisfy { $0.hasSuffix(".jpg") })
        }
    }
}
