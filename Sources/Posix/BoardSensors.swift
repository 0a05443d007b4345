/// What Linux tells of the board that it runs on; see `sysfs-class-thermal` and `sysfs-class-hwmon` of the kernel's ABI.
package struct BoardSensors: Sendable {
    private let root: String
    private let files = PosixFileSystem()

    /// - Parameter root: where sysfs is mounted.
    package init(root: String = "/sys") { self.root = root }

    /// The temperature of the hottest zone, in degrees Celsius; nil where there is none.
    package var temperature: Double? {
        let zones = folders("class/thermal", "thermal_zone")
        return zones.compactMap { number($0 + "/temp") }.max().map { Double($0) / 1000 }
    }

    /// Whether the kernel holds the processor back because of heat; nil where it would not.
    package var isThrottled: Bool? {
        let coolers = folders("class/thermal", "cooling_device").filter { device in
            guard let type = text(device + "/type") else { return false }
            return type == "Processor" || type.contains("cpufreq")
        }
        return coolers.isEmpty ? nil : coolers.contains { number($0 + "/cur_state") ?? 0 > 0 }
    }

    /// Whether the supply's voltage is too low; nil where nothing watches it. A Raspberry Pi's firmware does.
    package var isUndervolted: Bool? {
        let monitors = folders("class/hwmon", "hwmon").filter { text($0 + "/name") == "rpi_volt" }
        return monitors.first.flatMap { number($0 + "/in0_lcrit_alarm") }.map { $0 != 0 }
    }

    private func folders(_ folder: String, _ prefix: String) -> [String] {
        let names = (try? files.names(in: "\(root)/\(folder)")) ?? []
        return names.filter { $0.hasPrefix(prefix) }.map { "\(root)/\(folder)/\($0)" }
    }

    private func number(_ path: String) -> Int? { text(path).flatMap { Int($0) } }

    /// A sysfs file has one line; one that cannot be read now, such as that of a sensor that sleeps, tells nothing.
    private func text(_ path: String) -> String? {
        guard let bytes = try? files.read(path) else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
