import Foundation
import Testing

@testable import Posix

@Suite("A board's sensors")
struct BoardSensorsTests {
    /// A sysfs with these files, each of one line.
    private func sensors(_ files: [String: String]) throws -> BoardSensors {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("volley-\(UUID())")
        for (path, line) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try (line + "\n").write(to: file, atomically: false, encoding: .utf8)
        }
        return BoardSensors(SystemFiles(root: root.path))
    }

    @Test("are read as the kernel's ABI has them, the hottest zone and any cooler of a processor")
    func read() throws {
        let board = try sensors([
            "sys/class/thermal/thermal_zone0/temp": "48312", "sys/class/thermal/thermal_zone1/temp": "61500",
            "sys/class/thermal/thermal_zone2/temp": "", "sys/class/thermal/cooling_device0/type": "cpufreq-cpu0",
            "sys/class/thermal/cooling_device0/cur_state": "2", "sys/class/thermal/cooling_device1/type": "pwm-fan",
            "sys/class/hwmon/hwmon0/name": "cpu_thermal", "sys/class/hwmon/hwmon1/name": "rpi_volt",
            "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1",
        ])
        #expect(board.temperature == 61.5)
        #expect(board.isThrottled == true)
        #expect(board.isUndervolted == true)
    }

    @Test("say nothing where there are none, and a fan that turns holds nothing back")
    func none() throws {
        let bare = try sensors([:])
        #expect(bare.temperature == nil && bare.isThrottled == nil && bare.isUndervolted == nil)
        let board = try sensors([
            "sys/class/thermal/thermal_zone0/temp": "-4000", "sys/class/thermal/cooling_device0/type": "pwm-fan",
            "sys/class/thermal/cooling_device0/cur_state": "3", "sys/class/thermal/cooling_device1/type": "Processor",
            "sys/class/thermal/cooling_device1/cur_state": "0",
        ])
        #expect(board.temperature == -4 && board.isThrottled == false)
    }
}
