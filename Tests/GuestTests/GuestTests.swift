import CaptureModel
import Foundation
import TestSupport
import Testing

/// Runs a script in the guest, and holds what it left.
private struct GuestRun {
    let share: URL
    let status: Int32
    let output: String

    init(script: String, seconds: Int) throws {
        share = try Guest.share(script: script)
        let result = try TestSupport.run(
            BuiltPrograms.repository.appendingPathComponent("deploy/guest").path,
            ["run", "--share", share.path, "--timeout", "\(seconds)", "--", script, "/share/bin"])
        status = result.status
        output = result.output + result.errors
    }

    func text(_ name: String) throws -> String {
        try String(contentsOf: share.appendingPathComponent(name), encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func capture(_ name: String) throws -> CaptureDetail {
        try JSONDecoder().decode(CaptureDetail.self, from: Data(contentsOf: share.appendingPathComponent(name)))
    }
}

extension InTheGuest {
    @Suite(
        "A rig on a kernel's own cameras (vivid, in an emulated guest)",
        .serialized,
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct GuestTests {
        @Test("captures, refuses and survives with the truth in the catalogue", .timeLimit(.minutes(15)))
        func rig() throws {
            #expect(Guest.missing.isEmpty)
            let run = try GuestRun(script: "rig.sh", seconds: 800)
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let driver = try run.text("driver.log")
            #expect(try run.text("driver.status") == "0", "\(driver)")
            #expect(driver.contains("7 tests"), "\(driver)")
            try expectRequests(run)
            try expectBurst(run)
            try expectRefusal(run)
            try expectBrokenFrame(run)
            try expectUnplug(run)
            try expectRaw(run)
        }

        @Test("gives USB cameras their brackets through uvcvideo", .timeLimit(.minutes(15)))
        func uvc() throws {
            #expect(Guest.missing.isEmpty)
            let run = try GuestRun(script: "uvc.sh", seconds: 800)
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let driver = try run.text("driver.log")
            #expect(try run.text("driver.status") == "0", "\(driver)")
            #expect(driver.contains("9 tests"), "\(driver)")
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
            let idle = try #require(Int(try run.text("idle.kib")))
            #expect((1024...12 * 1024).contains(idle), "an idle node has taken \(idle) KiB")
        }

        @Test("knows how far apart four cameras behind bad wires began, within what it says", .timeLimit(.minutes(15)))
        func sync() throws {
            #expect(Guest.missing.isEmpty)
            let run = try GuestRun(script: "sync.sh", seconds: 800)
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let truth = try startsByDevice(run)
            for shot in 1...3 {
                #expect(try run.text("sync-\(shot).status") == "0")
                let capture = try run.capture("sync-\(shot).json")
                #expect(capture.spreads.count == 3)
                for spread in capture.spreads {
                    let starts = truth.filter { $0.id == capture.summary.uniqueID && $0.step == spread.sequenceCount }
                    try #require(starts.count == 4)
                    let times = starts.map(\.device)
                    let apart = (times.max() ?? 0) - (times.min() ?? 0)
                    let error = abs(apart - spread.spreadNanoseconds)
                    #expect(error <= spread.uncertaintyNanoseconds, "\(spread), by the devices \(apart)")
                    // All are one kernel's: rig time is the devices' own.
                    for start in starts { #expect(abs(start.rig - start.device) <= start.uncertainty, "\(start)") }
                }
            }
            // The wires are some milliseconds long: so well can any two-way method know, and better it did not say.
            #expect(truth.allSatisfy { $0.uncertainty < 20_000_000 })
            #expect(try run.text("close.status") != "0")
            #expect(try run.text("close.err").contains("knows rig time to"))
        }

        private struct Start {
            let id: UniqueID
            let step: Int
            /// In nanoseconds, by the device's own stamp and in rig time.
            let device: Int64
            let rig: Int64
            let uncertainty: Int64
        }

        private func startsByDevice(_ run: GuestRun) throws -> [Start] {
            struct Notice: Decodable {
                let event: CaptureEvent
            }
            return try run.text("watch.jsonl").split(separator: "\n").compactMap { line in
                guard let event = (try? JSONDecoder().decode(Notice.self, from: Data(line.utf8)))?.event,
                    let photo = event.photo, let start = photo.exposureStart, let rig = photo.exposureStartRigTime
                else { return nil }
                return Start(
                    id: event.uniqueID, step: photo.sequenceCount, device: start.time.nanoseconds, rig: rig.nanoseconds,
                    uncertainty: photo.exposureStartUncertaintyNanoseconds ?? 0)
            }
        }

        private func expectShoot(_ run: GuestRun) throws {
            let words = try run.text("shoot.err")
            #expect(try run.text("shoot.status") == "0", "\(words)")
            let events = try events(run.text("shoot.jsonl"))
            #expect(events.map(\.sequence) == Array(1...events.count))
            let photos = events.compactMap(\.photo)
            #expect(photos.count == 3)
            #expect(photos.allSatisfy { $0.verification == .verified }, "\(photos)")
            let files = try FileManager.default.contentsOfDirectory(atPath: run.share.path + "/photos")
            #expect(files.count == 3 && files.allSatisfy { $0.hasSuffix(".jpg") })
        }

        private func expectRequests(_ run: GuestRun) throws {
            let words = try run.text("gains.err")
            #expect(try run.text("gains.status") == "0", "\(words)")
            let photos = try events(run.text("gains.jsonl")).compactMap(\.photo)
            #expect(photos.map(\.requested.gain) == [10, 200, 60, 0, 255])
            #expect(photos.map(\.applied?.gain) == [10, 200, 60, 0, 255])
            let frames = photos.compactMap(\.frameSequence)
            #expect(frames == (0..<5).map { (frames.first ?? 0) + $0 }, "\(frames)")
        }

        private func events(_ lines: String) throws -> [CaptureEvent] {
            try lines.split(separator: "\n").map { try JSONDecoder().decode(CaptureEvent.self, from: Data($0.utf8)) }
        }

        private func expectBurst(_ run: GuestRun) throws {
            #expect(try run.text("burst.status") == "0")
            let burst = try run.capture("burst.json")
            #expect(burst.summary.state == .complete && burst.photos.count == 12 && burst.nodes.count == 4)
            for node in burst.nodes {
                let photos = burst.photos.filter { $0.node == node.node }
                let frames = photos.compactMap(\.record.frameSequence)
                #expect(frames.count == 3 && frames[2] - frames[0] == 2, "consecutive frames of the driver: \(frames)")
                #expect(photos.allSatisfy { $0.record.verification?.name == "unverifiable" })
                let starts = photos.compactMap { $0.record.exposureStartRigTime?.nanoseconds }
                // 10 frames a second, by the driver's own timestamps.
                #expect(starts.count == 3)
                for (first, second) in zip(starts, starts.dropFirst()) {
                    #expect(abs(second - first - 100_000_000) < 20_000_000, "\(starts)")
                }
                let events = burst.events.filter { $0.node == node.node }.map(\.sequence).sorted()
                #expect(events == Array(1...11))
            }
            for photo in burst.photos {
                let path = try #require(photo.path)
                let bytes = try Data(contentsOf: run.share.appendingPathComponent("library/" + path))
                #expect(bytes.count == photo.record.file?.byteCount)
                #expect(bytes.starts(with: [0xFF, 0xD8]))
            }
        }

        private func expectRefusal(_ run: GuestRun) throws {
            #expect(try run.text("auto.status") == "65")
            let words = try run.text("auto.err")
            for node in ["cam-0", "cam-1", "cam-2", "cam-3"] {
                #expect(words.contains("\(node): v4l2:/dev/video"))
            }
            #expect(words.contains("no manual exposure control"))
        }

        private func expectBrokenFrame(_ run: GuestRun) throws {
            #expect(try run.text("broken.status") == "0")
            let capture = try run.capture("broken.json")
            #expect(capture.summary.state == .complete)
            let frames = capture.photos.filter { $0.node == "cam-1" }.compactMap(\.record.frameSequence).sorted()
            let span = (frames.last ?? 0) - (frames.first ?? 0)
            #expect(Int(span) >= frames.count, "a broken frame was left out and taken again: \(frames)")
        }

        private func expectUnplug(_ run: GuestRun) throws {
            #expect(try run.text("unplug.status") == "2")
            let capture = try run.capture("unplug.json")
            #expect(capture.summary.state == .partial)
            let lost = capture.photos.filter { $0.node == "cam-3" }
            #expect(lost.count == 60, "each photo that was owed has its row")
            let failed = lost.filter { $0.path == nil }
            #expect(!failed.isEmpty)
            #expect(failed.allSatisfy { $0.record.error?.code == .deviceWasDisconnected })
            let others = capture.photos.filter { $0.node != "cam-3" }
            #expect(others.count == 180 && others.allSatisfy { $0.path != nil }, "\(capture.nodes)")
            #expect(try run.text("unplugged-nodes.json").contains("unplugged"))
            #expect(try run.text("again.status") == "0", "the camera is back in service")
        }

        private func expectRaw(_ run: GuestRun) throws {
            let words = try run.text("raw.err")
            #expect(try run.text("raw.status") == "0", "\(words)")
            let raw = try run.capture("raw.json")
            #expect(raw.photos.map(\.record.format) == [.jpeg, .dng, .jpeg, .dng])
        }
    }
}
