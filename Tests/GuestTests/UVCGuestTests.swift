import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing
import VirtualUVCCamera

extension InTheGuest {
    @Suite(
        "Cameras on a USB bus (vhci-hcd, in an emulated guest)",
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct UVCGuestTests {
        /// Runs a suite of VirtualUVCCameraTests.
        ///
        /// - Returns: what it said.
        private func expectPasses(_ suite: String, testCount: Int) async throws -> String {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "uvc.sh", arguments: [suite])
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let driver = try run.text("driver.log")
            #expect(try run.text("driver.status") == "0", "\(driver)")
            #expect(driver.split(separator: "\n").count { $0.hasPrefix("✔ Test \"") } >= testCount, "\(driver)")
            return driver
        }

        @Test("gives USB cameras their brackets through uvcvideo", .timeLimit(.minutes(60)))
        func brackets() async throws {
            let driver = try await expectPasses("UVCDriverTests", testCount: 8)
            // An emulated machine stumbles now and then; most brackets must cost no frame too many.
            let consecutive = driver.split(separator: "\n").count { $0.hasPrefix("consecutive:") }
            #expect(consecutive >= 7, "of 9 brackets: \(driver)")
        }

        @Test("knows when USB cameras began, within what it says", .timeLimit(.minutes(60)))
        func starts() async throws {
            _ = try await expectPasses("UVCStartTests", testCount: 3)
        }

        @Test("goes on with USB cameras that were away", .timeLimit(.minutes(60)))
        func away() async throws {
            _ = try await expectPasses("UVCPlugTests", testCount: 4)
        }

        @Test("lists, learns and shoots USB cameras from the command line", .timeLimit(.minutes(60)))
        func commands() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "uvc-operator.sh")
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            #expect(try run.text("cameras.txt").contains("Volley Virtual Camera, serial BY-HAND"))
            let words = try run.text("calibrate.err")
            #expect(try run.text("calibrate.status") == "0", "\(words)")
            #expect(try run.text("profile.json").contains("\"exposureDuration\" : 3"))
            try expectShoot(run)
            #expect(try run.text("long.status") == "65")
            #expect(try run.text("long.err").contains("takes 1/10000 s to 1.0 s"))
            #expect(try run.text("nobody.status") == "69")
            #expect(try run.text("nobody.err").contains("no video device 'NOBODY'"))
            try expectDoctor(run)
            if Guest.mustRun || FileManager.default.fileExists(atPath: run.share.path + "/examples.status") {
                let examples = try run.text("examples.log")
                #expect(try run.text("examples.status") == "0", "\(examples)")
            }
            try expectSetByHand(run)
            let idle = try #require(Int(try run.text("idle.kib")))
            #expect((1024...12 * 1024).contains(idle), "an idle node has taken \(idle) KiB")
        }

        /// What was set by hand is what `v4l2-ctl` reads from the driver, once the node has been started.
        private func expectSetByHand(_ run: GuestRun) throws {
            let found = try run.text("found.txt")
            for words in [
                "continuousAutoExposure", "[exposure_time_absolute]", "[focus_absolute]", "0 to 255, no unit [gain]",
                "[white_balance_temperature]", "[auto_exposure]",
            ] { #expect(found.contains(words), "\(found)") }
            #expect(try run.text("beyond.status") == "65")
            #expect(try run.text("beyond.err").contains("it takes 1/10000 s to 1.0 s"))
            for name in ["away", "focused", "metered", "set", "reset"] {
                let words = try run.text(name + ".err")
                #expect(try run.text(name + ".status") == "0", "\(name): \(words)")
            }
            let set = try run.text("set.txt")
            #expect(set.contains("1/40 s") && set.contains("kept") && set.contains("5000K"), "\(set)")
            let kept = try run.text("kept.ctrl")
            for words in [
                "auto_exposure: 1", "exposure_time_absolute: 250", "gain: 20", "focus_automatic_continuous: 0",
                "focus_absolute: 50", "white_balance_temperature: 5000",
            ] { #expect(kept.contains(words), "\(kept)") }
            #expect(try run.text("busy.status") == "75")
            let again = try run.text("again.txt")
            #expect(!again.contains("kept"), "\(again)")
        }

        private func expectDoctor(_ run: GuestRun) throws {
            let findings = try run.text("doctor.txt")
            for words in [
                "OK       camera: /dev/video", "delivers YUYV 320x180", "OK       usb: The camera runs at 480 Mbit/s",
                "WARNING  usb: The camera may be put to sleep", "PROBLEM  spool: /dev/shm is on tmpfs",
                "PROBLEM  coordinator: 127.0.0.1:9 cannot be reached: Connection refused",
            ] {
                #expect(findings.contains(words), "\(findings)")
            }
            #expect(try run.text("doctor.status") == "1")
            let followed = try run.text("followed.txt")
            #expect(followed.contains("480 Mbit/s") && !followed.contains("put to sleep"), "\(followed)")
        }

        private func expectShoot(_ run: GuestRun) throws {
            let words = try run.text("shoot.err")
            #expect(try run.text("shoot.status") == "0", "\(words)")
            let events = try run.shot("shoot.jsonl")
            #expect(events.map(\.event.sequence) == events.indices.map { $0 + 1 }, "\(words)")
            let photos = events.compactMap(\.photo)
            #expect(photos.count == 3)
            #expect(photos.allSatisfy { $0.verification == "verified" }, "\(photos)")
            let files = try FileManager.default.contentsOfDirectory(atPath: run.share.path + "/photos")
            #expect(files.count == 3 && files.allSatisfy { $0.hasSuffix(".jpg") })
        }

        @Test(
            "knows when four of them on a rig began, and how far apart, within what it says", .timeLimit(.minutes(60)))
        func rig() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "uvc-rig.sh")
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let unlit = try expectStarts(of: "shot-1", run)
            // Four frames and 40 ms of transport, for each camera.
            #expect(unlit.spreads.allSatisfy { $0.uncertaintyNanoseconds > 2_040_000_000 })
            let words = try run.text("lamp.err")
            #expect(try run.text("lamp.status") == "0", "\(words)")
            for shot in 2...3 {
                let capture = try expectStarts(of: "shot-\(shot)", run)
                #expect(capture.spreads.allSatisfy { $0.uncertaintyNanoseconds < 1_100_000_000 }, "\(capture.spreads)")
            }
            let told = try expectStarts(of: "shot-4", run)
            let sources = told.photos.map(\.record.exposureStartSource)
            #expect(sources.count { $0 == .deviceClock } >= 6, "\(sources)")
        }

        /// What a capture says of its starts, held against what its pictures say.
        private func expectStarts(of name: String, _ run: GuestRun) throws -> CaptureDetail {
            let capture = try run.capture("\(name).json")
            #expect(try run.text("\(name).status") == "0", "\(name): \(capture.summary)")
            let frames = try capture.photos.map { photo in
                (photo.record, try code(of: try #require(photo.path, "\(photo)"), run))
            }
            try #require(frames.count == 12 && capture.spreads.count == 3)
            for (record, code) in frames {
                let wanted = try #require(record.requested.duration).nanoseconds
                #expect(abs(Int64(code.exposure) * 1000 - wanted) <= 50_000, "\(record)")
                let start = try #require(record.exposureStartRigTime)
                // All clocks are one kernel's: rig time is the pictures' own.
                let error = abs(start.nanoseconds - code.exposureStart)
                #expect(error <= record.exposureStartUncertaintyNanoseconds ?? 0, "\(error) ns: \(record)")
            }
            for spread in capture.spreads {
                let starts = frames.filter { $0.0.sequenceCount == spread.sequenceCount }.map(\.1.exposureStart)
                let apart = (starts.max() ?? 0) - (starts.min() ?? 0)
                let error = abs(apart - spread.spreadNanoseconds)
                #expect(error <= spread.uncertaintyNanoseconds, "\(spread), by the pictures \(apart)")
                print("spread: \(apart) ns, told \(spread.spreadNanoseconds) ± \(spread.uncertaintyNanoseconds)")
            }
            return capture
        }

        /// What the picture of a library's file says of itself, as another decoder reads it.
        private func code(of path: String, _ run: GuestRun) throws -> FrameCode {
            let file = run.share.appendingPathComponent("library/" + path).path
            let decoded = run.share.appendingPathComponent("picture.pgm")
            let result = try TestSupport.run(
                "/usr/bin/djpeg", ["-grayscale", "-pnm", "-outfile", decoded.path, file])
            #expect(result.status == 0, "\(result.errors)")
            let luma = Array(try Data(contentsOf: decoded).dropFirst("P5\n320 180\n255\n".count))
            return try #require(FrameCode(luma: luma, width: 320), "\(path)")
        }
    }
}
