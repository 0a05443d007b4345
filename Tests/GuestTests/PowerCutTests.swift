import CaptureModel
import Foundation
import TestSupport
import Testing

extension InTheGuest.SecondRow {
    @Suite(
        "A rig whose power is cut (ext4 on a disk image, in an emulated guest)",
        .serialized,
        .enabled(if: Guest.mustRun || Guest.missing.isEmpty, "needs qemu-system-x86, busybox-static, cpio, v4l-utils"))
    struct PowerCutTests {
        /// VOLLEY_POWER_CUTS=100 for a hundred.
        private static let cuts = Int(ProcessInfo.processInfo.environment["VOLLEY_POWER_CUTS"] ?? "") ?? 3

        @Test(
            "has every photo that it said was stored, and a clean library, after each cut", .timeLimit(.minutes(180)))
        func cuts() async throws {
            #expect(Guest.missing.isEmpty)
            let share = try Guest.share(script: "power.sh")
            defer { try? FileManager.default.removeItem(at: share) }
            let disk = share.appendingPathComponent("disk.img")
            _ = FileManager.default.createFile(atPath: disk.path, contents: nil)
            try FileHandle(forWritingTo: disk).truncate(atOffset: 1 << 30)
            var random = SystemRandomNumberGenerator()
            for cycle in 1...Self.cuts {
                let seconds = Double.random(in: 1...8, using: &random)
                try await onThread { try boot(share, disk, cutAfter: seconds, cycle) }
                try check(share, cycle, "the cut before came after \(seconds) s")
            }
            _ = FileManager.default.createFile(atPath: share.appendingPathComponent("last").path, contents: nil)
            try await onThread { try boot(share, disk, cutAfter: nil, Self.cuts + 1) }
            let stored = try check(share, Self.cuts + 1, "the last boot")
            #expect(stored > 0, "something was fired")
            print("\(Self.cuts) power cuts, \(stored) photos stored")
        }

        /// Boots, and cuts the power this long after the rig has begun to fire; nil to let it end.
        private func boot(_ share: URL, _ disk: URL, cutAfter seconds: Double?, _ cycle: Int) throws {
            let guest = Process()
            guest.executableURL = BuiltPrograms.repository.appendingPathComponent("deploy/guest")
            guest.arguments = [
                "run", "--share", share.path, "--disk", disk.path, "--pid", share.appendingPathComponent("pid").path,
                "--timeout", "\(Guest.patience)", "--", "power.sh", "/share/bin",
            ]
            let log = share.appendingPathComponent("guest-\(cycle).log")
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
            guest.standardOutput = try FileHandle(forWritingTo: log)
            guest.standardError = guest.standardOutput
            guest.standardInput = FileHandle.nullDevice
            try guest.run()
            let marker = share.appendingPathComponent("firing-\(cycle)").path
            while guest.isRunning, seconds == nil || !FileManager.default.fileExists(atPath: marker) { usleep(50_000) }
            if let seconds, guest.isRunning {
                usleep(UInt32(seconds * 1e6))
                let pid = try String(contentsOf: share.appendingPathComponent("pid"), encoding: .utf8)
                kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
            }
            guest.waitUntilExit()
            let words = try String(contentsOf: log, encoding: .utf8)
            try #require(
                seconds == nil ? guest.terminationStatus == 0 : FileManager.default.fileExists(atPath: marker),
                "\(words)")
        }

        /// - Returns: how many photos the catalogue says are stored.
        @discardableResult
        private func check(_ share: URL, _ cycle: Int, _ words: Comment) throws -> Int {
            func text(_ name: String) throws -> String {
                try String(contentsOf: share.appendingPathComponent(name), encoding: .utf8)
            }
            let verdict = try text("verify-\(cycle).txt")
            #expect(try text("verify-\(cycle).status") == "0\n", "\(words): \(verdict)")
            let captures = try [CaptureSummary](documents: Data(text("captures-\(cycle).json").utf8))
            let stored = Dictionary(captures.map { ($0.uniqueID, $0.storedPhotoCount) }) { $1 }
            // What the rig had said in its former life.
            for line in (try? text("watch-\(cycle - 1).jsonl"))?.split(separator: "\n") ?? [] {
                guard let notice = try? JSONDecoder().decode(Notice.self, from: Data(line.utf8)) else { continue }
                let now = try #require(stored[notice.uniqueID], "\(words): a capture is gone")
                #expect(now >= notice.storedPhotoCount, "\(words): \(notice)")
            }
            return stored.values.reduce(0, +)
        }

        /// What a watcher was told of a capture.
        private struct Notice: Decodable {
            let uniqueID: UniqueID
            let storedPhotoCount: Int
        }
    }
}
