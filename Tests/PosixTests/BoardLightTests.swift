import Foundation
import Testing

@testable import Posix

@Suite("A board's light")
struct BoardLightTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())")

    private func light(_ names: [String], wanted: String? = nil) throws -> BoardLight? {
        for name in names {
            for (file, text) in [
                ("trigger", "none [mmc0] timer"), ("brightness", "7"), ("max_brightness", "255"),
            ] {
                let path = path(name, file)
                try FileManager.default.createDirectory(
                    at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                try (text + "\n").write(to: path, atomically: false, encoding: .utf8)
            }
        }
        return BoardLight(named: wanted, SystemFiles(root: root.path))
    }

    private func path(_ light: String, _ file: String) -> URL {
        root.appendingPathComponent("sys/class/leds/\(light)/\(file)")
    }

    private func text(_ light: String, _ file: String) throws -> String {
        try String(contentsOf: path(light, file), encoding: .utf8)
    }

    @Test(
        "is the one that is named, otherwise the one that shows activity, and no keyboard's or network's",
        arguments: [
            (["PWR", "ACT"], nil, "ACT"), (["green:wan", "blue:heartbeat", "amber:status"], nil, "amber:status"),
            (["input0::capslock", "eth0-phy:green"], nil, nil),
            (["ACT", "input0::capslock"], "input0::capslock", "input0::capslock"), (["ACT"], "LAMP", nil),
            ([], nil, nil),
        ] as [([String], String?, String?)])
    func choice(names: [String], wanted: String?, chosen: String?) throws {
        defer { try? FileManager.default.removeItem(at: root) }
        #expect(try light(names, wanted: wanted)?.name == chosen)
    }

    @Test("is none whose trigger was told more than its name, as that would be lost")
    func parameters() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        _ = try light(["ACT"])
        try "none mmc0 [netdev]\n".write(to: path("ACT", "trigger"), atomically: false, encoding: .utf8)
        #expect(BoardLight(named: nil, SystemFiles(root: root.path)) == nil)
    }

    @Test("is one program's at a time")
    func lock() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let (one, other) = (try #require(try light(["ACT"])), try #require(try light([])))
        func canLock(_ light: BoardLight) -> Bool { if let _ = light.lock() { true } else { false } }
        if let lock = one.lock() {
            #expect(!canLock(other))
            _ = consume lock
        } else {
            Issue.record("nobody holds it")
        }
        #expect(canLock(other))
    }

    @Test("shines as it is told, and afterwards by itself as before")
    func blinking() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let light = try #require(try light(["ACT"]))
        let habit = light.habit
        #expect(light.forsake())
        #expect(try text("ACT", "trigger") == "none")
        light.shine(true)
        #expect(try text("ACT", "brightness") == "255", "all there is")
        light.shine(false)
        #expect(try text("ACT", "brightness") == "0")
        light.resume(habit)
        #expect(try text("ACT", "trigger") == "mmc0")
        // One that nothing makes shine keeps what somebody gave it.
        try "[none] mmc0\n".write(to: path("ACT", "trigger"), atomically: false, encoding: .utf8)
        try "7\n".write(to: path("ACT", "brightness"), atomically: false, encoding: .utf8)
        let quiet = light.habit
        light.shine(false)
        light.resume(quiet)
        #expect(try text("ACT", "brightness") == "7" && text("ACT", "trigger") == "[none] mmc0\n")
    }
}
