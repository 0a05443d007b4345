import Foundation
import Glibc
import HealthChecks
import Posix
import Testing

@Suite("A doctor")
struct HealthChecksTests {
    /// A machine with these files.
    private func machine(_ files: [String: String]) throws -> SystemFiles {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())")
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (text + "\n").write(to: file, atomically: false, encoding: .utf8)
        }
        return SystemFiles(root: root.path)
    }

    /// A camera as uvcvideo and the USB core show it: the node's device is an interface, whose parent is the device.
    private func camera(_ device: [String: String], besides others: [String: String] = [:]) throws -> SystemFiles {
        let facts = ["busnum": "1", "devnum": "4", "power/control": "on", "version": " 2.00", "speed": "480"]
        var files = others
        for (name, text) in facts.merging(device, uniquingKeysWith: { $1 }) {
            files["sys/class/video4linux/video0/\(name)"] = text
        }
        files["sys/class/video4linux/video0/device/uevent"] = ""
        return try machine(files)
    }

    @Test(
        "finds a camera on a slow bus, on the wrong port, or put to sleep",
        arguments: [
            ([:], Finding.Verdict.ok, "480 Mbit/s"), (["speed": "12"], .problem, "12 Mbit/s"),
            (["version": " 2.10"], .warning, "USB 2.10"), (["version": " 3.20", "speed": "5000"], .ok, "5000"),
            (["power/control": "auto"], .warning, "put to sleep"),
        ] as [([String: String], Finding.Verdict, String)])
    func usb(device: [String: String], verdict: Finding.Verdict, words: String) throws {
        let findings = USBChecks(try camera(device)).findings(of: "video0")
        #expect(findings.contains { $0.verdict == verdict && $0.message.contains(words) }, "\(findings)")
        #expect(findings.allSatisfy { ($0.verdict == .ok) == ($0.advice == nil) })
        #expect(USBChecks(try camera(device)).findings(of: "video7").isEmpty, "it is not on USB")
    }

    @Test("finds cameras that share a bus")
    func sharing() throws {
        var others: [String: String] = [:]
        for (node, bus, number) in [("video1", "1", "4"), ("video2", "1", "5"), ("video4", "2", "3")] {
            others["sys/class/video4linux/\(node)/busnum"] = bus
            others["sys/class/video4linux/\(node)/devnum"] = number
            others["sys/class/video4linux/\(node)/device/uevent"] = ""
        }
        let findings = USBChecks(try camera([:], besides: others)).findings(of: "video0")
        #expect(findings.contains { $0.message.contains("Another camera is on the same bus") }, "\(findings)")
    }

    @Test("finds a processor that is held back, and one that only says that word")
    func processor() throws {
        func governor(_ name: String, _ driver: String) throws -> Finding? {
            let files = [
                "sys/devices/system/cpu/cpufreq/policy0/scaling_governor": name,
                "sys/devices/system/cpu/cpufreq/policy0/scaling_driver": driver,
            ]
            return BoardChecks(try machine(files)).findings.first { $0.subject == "processor" }
        }
        #expect(try governor("powersave", "cpufreq-dt")?.verdict == .warning)
        #expect(try governor("powersave", "intel_pstate")?.verdict == .ok)
        #expect(try governor("schedutil", "cpufreq-dt")?.verdict == .ok)
        #expect(BoardChecks(try machine([:])).findings.isEmpty, "a machine that tells nothing is in order")
    }

    @Test("finds a clock that was never set, or that nobody keeps, where that matters")
    func clock() {
        let (now, before) = (1_800_000_000_000_000 as Int64, 1_000_000 as Int64)
        func verdict(_ isNeeded: Bool, _ error: Int64?, _ time: Int64) -> Finding.Verdict {
            BoardChecks.clock(isNeeded: isNeeded, error: error, microsecondsSinceEpoch: time).verdict
        }
        #expect(verdict(true, nil, before) == .problem && verdict(false, nil, before) == .ok)
        #expect(verdict(true, nil, now) == .warning && verdict(false, nil, now) == .ok)
        #expect(verdict(true, 5_000_000, now) == .ok)
    }

    @Test("finds a spool in memory, without barriers, or on a disk that says how it keeps what is written")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func findings(_ type: String, _ options: String) throws -> [Finding] {
            let mounts = """
                22 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw
                40 22 8:17 / \(folder) rw,relatime shared:9 master:1 - \(type) /dev/sdb1 \(options)
                """
            let system = try machine([
                "proc/self/mountinfo": mounts, "sys/dev/block/8:17/start": "2048",
                "sys/dev/block/queue/write_cache": "write back",
            ])
            return FolderChecks(system).findings(of: folder + "/not/yet/made", "spool")
        }
        #expect(try findings("tmpfs", "rw").first?.verdict == .problem)
        #expect(try findings("ext4", "rw,nobarrier").first?.verdict == .problem)
        let good = try findings("ext4", "rw")
        #expect(good.first?.verdict == .ok && good.first?.message.contains("write cache that is flushed") == true)
        #expect(good.contains { $0.message.contains("A sync takes") })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty, "it leaves nothing behind")
    }

    @Test("finds a folder that nobody can write into")
    func away() {
        let findings = FolderChecks().findings(of: "/proc/nothing/here", "spool")
        #expect(findings.hasProblem && findings.allSatisfy { $0.verdict == .ok || $0.advice != nil }, "\(findings)")
    }

    @Test(
        "says what to do about a coordinator that cannot be reached",
        arguments: [
            (ENOENT, true, "check 'coordinator'"), (ENOENT, false, "avahi-daemon"),
            (ECONNREFUSED, true, "start volley-coordinator"), (ETIMEDOUT, true, "firewalls"),
        ])
    func coordinator(code: CInt, isGiven: Bool, words: String) {
        let finding = NetworkChecks.coordinator("rig", port: 5670, isGiven: isGiven) { host, _ in
            SystemError(call: "connect", errno: code, subject: host)
        }
        #expect(finding.verdict == .problem && finding.advice?.contains(words) == true, "\(finding)")
    }

    @Test("reads as a page, and as a list")
    func text() throws {
        let findings = [
            Finding.ok("clock", "It is kept."), .warning("usb", "It is slow.", advice: "Change the cable."),
        ]
        #expect(
            findings.text == """
                OK       clock: It is kept.
                WARNING  usb: It is slow.
                         Change the cable.
                """)
        #expect(!findings.hasProblem && [Finding.problem("a", "b", advice: "c")].hasProblem)
    }
}
