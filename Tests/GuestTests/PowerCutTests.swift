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
            var former = 0
            for cycle in 1...Self.cuts {
                // Counted by what the rig does, as an emulated machine takes as long for it as others let it: a capture
                // of two nodes has some 45 notices.
                let notices = Int.random(in: 1...90, using: &random)
                try await onThread { try boot(share, disk, cutAfter: notices, cycle) }
                try check(share, cycle, "the life before was cut after \(former) notices")
                former = notices
            }
            _ = FileManager.default.createFile(atPath: share.appendingPathComponent("last").path, contents: nil)
            try await onThread { try boot(share, disk, cutAfter: nil, Self.cuts + 1) }
            let stored = try check(share, Self.cuts + 1, "the last boot")
            #expect(stored > 0, "something was fired")
            print("\(Self.cuts) power cuts, \(stored) photos stored")
        }

        /// Boots, and cuts the power once the rig has said so much, and in its first life has stored something; nil to let
        /// it end.
        private func boot(_ share: URL, _ disk: URL, cutAfter notices: Int?, _ cycle: Int) throws {
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
            func isTime() throws -> Bool {
                guard let notices, try lines(share, cycle).count >= notices else { return false }
                return try cycle > 1 || said(share, cycle).contains { $0.storedPhotoCount ?? 0 > 0 }
            }
            while guest.isRunning, try !isTime() { usleep(200_000) }
            if guest.isRunning {
                usleep(.random(in: 0...1_000_000))
                let pid = try String(contentsOf: share.appendingPathComponent("pid"), encoding: .utf8)
                kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), SIGKILL)
            }
            guest.waitUntilExit()
            let words = try String(contentsOf: log, encoding: .utf8)
            try #require(notices == nil ? guest.terminationStatus == 0 : isTime(), "\(words)")
        }

        /// What the rig told a watcher in one of its lives; the last line may be half.
        private func lines(_ share: URL, _ cycle: Int) throws -> [Data] {
            let file = share.appendingPathComponent("watch-\(cycle).jsonl")
            guard FileManager.default.fileExists(atPath: file.path) else { return [] }
            return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
        }

        private func said(_ share: URL, _ cycle: Int) throws -> [Notice] {
            try lines(share, cycle).compactMap { try? JSONDecoder().decode(Notice.self, from: $0) }
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
            for notice in try said(share, cycle - 1) {
                guard let id = notice.uniqueID, let told = notice.storedPhotoCount else { continue }
                let now = try #require(stored[id], "\(words): a capture is gone")
                #expect(now >= told, "\(words): \(notice)")
            }
            return stored.values.reduce(0, +)
        }

        /// What a watcher was told: of a capture how many photos are stored.
        private struct Notice: Decodable {
            let uniqueID: UniqueID?
            let storedPhotoCount: Int?
        }
    }
}
