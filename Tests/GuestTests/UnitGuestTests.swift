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
        private struct Line: Decodable {
            let priority, message, unit, identifier, node, capture: String?

            enum CodingKeys: String, CodingKey {
                case priority = "PRIORITY"
                case message = "MESSAGE"
                case unit = "_SYSTEMD_UNIT"
                case identifier = "SYSLOG_IDENTIFIER"
                case node = "VOLLEY_NODE"
                case capture = "VOLLEY_CAPTURE"
            }
        }

        @Test(
            "start in their sandbox, fire, know the clock, end a camera that hangs, and serve on a read-only root",
            .timeLimit(.minutes(60)))
        func units() async throws {
            #expect(Guest.missing.isEmpty)
            let run = try await GuestRun(script: "units.sh", options: ["--systemd"])
            defer { try? FileManager.default.removeItem(at: run.share) }
            let logs = try run.text("coordinator.log") + run.text("node.log")
            try #require(run.status == 0, "\(run.output)\n\(logs)")
            #expect(try run.text("verify.txt").isEmpty)
            for name in ["burst", "kept", "after", "readonly"] {
                #expect(try run.text(name + ".status") == "0", "\(logs)")
                #expect(try run.capture(name + ".json").summary.state == .complete)
            }
            let clocks = try run.text("clocks.json")
            #expect(clocks.contains(#""status" : "active""#), "\(clocks)")
            for unit in ["coordinator", "node"] {
                let state = try run.text(unit + ".state").split(separator: "\n").sorted()
                #expect(state == ["ActiveState=active", "NRestarts=0", "User=volley"], "\(logs)")
            }
            // Made at the first start, each secret for its daemon alone.
            let keys = try run.text("keys.txt").split(separator: "\n")
            #expect(keys.count == 8 && keys.allSatisfy { $0.hasPrefix("volley ") }, "\(keys)")
            #expect(keys.filter { $0.hasSuffix(".key") }.map { $0.split(separator: " ")[1] } == ["600", "600"])
            // What systemd says, and what it went by.
            let hung = try run.text("hung.log")
            #expect(try run.text("hung.restarts") == "1", "\(hung)")
            #expect(hung.contains("Watchdog timeout") && hung.contains("driver hangs"), "\(hung)")
            #expect(try run.text("stop.status") == "0")
            // What v4l2-ctl reads, and systemctl and the journal show.
            #expect(try run.text("controls.txt") == "brightness: 77\nhorizontal_flip: 1")
            #expect(try run.text("coordinator.words") == "1 of 1 nodes ready")
            #expect(try run.text("node.words").contains(/^connected; clock within \d+ (µs|ms); v4l2:\S+ ready$/))
            let metrics = try run.text("metrics.txt")
            let said = try run.text("metrics.log")
            #expect(metrics.contains(#"volley_node_up{node="board"} 1"#), "\(metrics)\(said)")
            #expect(try run.text("metrics.result") == "success", "\(said)")

            let pages = try run.text("console.txt")
            let words = try run.text("console.log")
            #expect(pages.contains("<title>Captures - Volley</title>"), "\(pages.suffix(1000))\(words)")
            #expect(pages.contains(#/bytes of a photo: [1-9]/#), "\(pages.suffix(1000))\(words)")
            #expect(try run.text("console.result") == "success", "\(words)")
            // Whoever reads the journal is not let in by it.
            #expect(!words.contains("token="), "\(words)")
            // By the configuration that is installed, of daemons that run.
            let doctor = (try run.text("coordinator.doctor"), try run.text("node.doctor"))
            #expect(doctor.0.contains("Something listens at 127.0.0.1:5670"), "\(doctor)")
            #expect(doctor.0.contains("It listens at 127.0.0.1 alone"), "\(doctor)")
            #expect(doctor.1.contains("Something listens at localhost:5670"), "\(doctor)")
            #expect(doctor.1.contains("This board has joined a rig.") && doctor.1.contains("camera: /dev/video"))
            for text in [doctor.0, doctor.1] { #expect(text.contains("The clock is disciplined"), "\(text)") }
            let second = try run.text("second.json")
            #expect(
                second.contains(#""name" : "second""#) && second.matches(of: /"state" : "ready"/).count == 2, "\(logs)")
            let lines = try run.text("journal.jsonl").split(separator: "\n").map {
                // A message that is no text is an array.
                try? JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
            func priorities(_ unit: String, _ words: String) -> Set<String?> {
                Set(
                    lines.compactMap(\.self).filter { $0.unit == unit && $0.message?.contains(words) ?? false }.map(
                        \.priority))
            }
            #expect(priorities("volley-node.service", "looking for the coordinator at") == ["6"])
            #expect(priorities("volley-node@absent.service", "/etc/volley/node-absent.yaml: cannot be read") == ["3"])
            for unit in ["volley-coordinator.service", "volley-node.service"] {
                let last = lines.compactMap(\.self).last { $0.unit == unit }
                #expect(last?.message == "stopped" && last?.priority == "5", "\(last)")
            }
            // Each can be searched for by what it is about.
            let capture = try run.capture("burst.json").summary.uniqueID.description
            let about = lines.compactMap(\.self).filter { $0.capture == capture }
            #expect(about.contains { $0.message?.contains("complete") ?? false }, "\(about)")
            #expect(lines.contains { $0?.node == "board" && $0?.unit == "volley-coordinator.service" })
            #expect(lines.contains { $0?.node == "board" && $0?.unit == "volley-node.service" })
            let own = lines.filter { $0?.unit == "volley-node@second.service" && $0?.node == "second" }
            #expect(!own.isEmpty && own.allSatisfy { $0?.identifier == "volley-node-second" }, "\(own)")
            // It blinked, and does as before.
            let identified = try run.text("identify.txt")
            #expect(try run.text("light.txt") == "0\n1", "\(identified)")
            #expect(try run.text("trigger.txt").contains("[kbd-capslock]"))
            let full = try run.text("full.txt")
            #expect(try run.text("full.status") != "0" && full.contains("board") && full.contains("spool"), "\(full)")
            let profiles = try run.text("profiles.txt").split(separator: "\n")
            #expect(profiles.contains { $0.hasSuffix(".json") } && profiles.allSatisfy { $0.hasPrefix("volley ") })
            #expect(try run.text("retoucher.read") == "ff d8")
            #expect(try run.text("stranger.read").isEmpty)
        }
    }
}
