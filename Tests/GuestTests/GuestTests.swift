import CaptureModel
import Documents
import Foundation
import TestSupport
import Testing

extension InTheGuest.FirstRow {
    @Suite(
        "A rig on a kernel's own cameras (vivid, in an emulated guest)",
        .serialized,
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct GuestTests {
        @Test("captures, refuses and survives with the truth in the catalogue", .timeLimit(.minutes(60)))
        func rig() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "rig.sh")
            defer { try? FileManager.default.removeItem(at: run.share) }
            try #require(run.status == 0, "\(run.output)")
            let driver = try run.text("driver.log")
            #expect(try run.text("driver.status") == "0", "\(driver)")
            #expect(driver.split(separator: "\n").count { $0.hasPrefix("✔ Test \"") } >= 7, "\(driver)")
            try expectRequests(run)
            try expectBurst(run)
            try expectRefusal(run)
            try expectBrokenFrame(run)
            try expectUnplug(run)
            try expectDeepLuma(run)
            try expectRaw(run)
        }

        @Test("knows how far apart four cameras behind bad wires began, within what it says", .timeLimit(.minutes(60)))
        func sync() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "sync.sh")
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
            try expectPatience(run)
        }

        /// A node whose wire is full of its photos is alive for all to see.
        private func expectPatience(_ run: GuestRun) throws {
            let words = try run.text("narrow.err") + run.text("narrow.json")
            try #require(try run.text("narrow.status") == "0", "\(words)")
            let narrow = try run.capture("narrow.json")
            let bytes = narrow.photos.filter { $0.node == "cam-0" }.compactMap(\.record.file?.byteCount).reduce(0, +)
            let (begin, end) = (try run.text("narrow.begin"), try run.text("narrow.end"))
            let seconds = try #require(Int(end)) - #require(Int(begin))
            // Otherwise the wire was not what it should be.
            #expect(seconds >= bytes * 8 / 1_100_000 && seconds > 6, "\(bytes) bytes in \(seconds) s")
            let log = try run.text("coordinator.log")
            #expect(!log.contains("does not answer"), "\(log)")
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
            return try run.text("watch.jsonl").split(separator: "\n").compactMap { line in
                guard let notice = try? JSONDecoder().decode(NoticeDocument.self, from: Data(line.utf8)),
                    let id = notice.uniqueID, let photo = notice.photo,
                    let device = photo.exposureStartNodeTimeNanoseconds,
                    let rig = photo.exposureStartRigTimeNanoseconds
                else { return nil }
                return Start(
                    id: id, step: photo.sequenceCount, device: device, rig: rig,
                    uncertainty: photo.exposureStartUncertaintyNanoseconds ?? 0)
            }
        }

        private func expectRequests(_ run: GuestRun) throws {
            let words = try run.text("gains.err")
            #expect(try run.text("gains.status") == "0", "\(words)")
            let photos = try run.shot("gains.jsonl").compactMap(\.photo)
            #expect(photos.map(\.requested.gain) == [10, 200, 60, 0, 255])
            #expect(photos.map(\.applied?.gain) == [10, 200, 60, 0, 255])
            let frames = photos.compactMap(\.frameSequence)
            // Where the emulated machine holds one up, its step alone is taken again.
            let neighbours = zip(frames, frames.dropFirst()).count { $1 == $0 + 1 }
            #expect(frames.count == 5 && neighbours >= 3, "\(frames)")
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
            #expect(words.contains("cam-0 to cam-3: its camera"), "\(words)")
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

            #expect(try run.text("narrow.status") != "0")
            #expect(try run.text("narrow.err").contains("cam-2 reports when an exposure begins to"))
        }

        /// The driver puts the same codes into both.
        private func expectDeepLuma(_ run: GuestRun) throws {
            func picture(_ name: String) throws -> [UInt8] {
                let words = try run.text("\(name).err")
                #expect(try run.text("\(name).status") == "0", "\(words)")
                let folder = run.share.appendingPathComponent(name)
                let file = try #require(
                    FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
                        .compactMap { $0 as? URL }.filter { $0.pathExtension == "jpg" }
                        .min { $0.path < $1.path })
                let decoded = run.share.appendingPathComponent("\(name).pgm")
                let options = ["-grayscale", "-pnm", "-outfile", decoded.path]
                let result = try TestSupport.run("/usr/bin/djpeg", options + [file.path])
                #expect(result.status == 0, "\(result.errors)")
                return Array(try Data(contentsOf: decoded).dropFirst("P5\n320 180\n255\n".count))
            }
            let (eight, ten) = (try picture("GREY"), try picture("Y10"))
            #expect(eight == ten && Set(eight).count > 4)
        }

        private func expectRaw(_ run: GuestRun) throws {
            let words = try run.text("raw.err")
            #expect(try run.text("raw.status") == "0", "\(words)")
            let raw = try run.capture("raw.json")
            #expect(raw.photos.map(\.record.format) == [.jpeg, .dng, .jpeg, .dng])
        }
    }
}
