/// What Linux tells of the board that it runs on; see `sysfs-class-thermal` and `sysfs-class-hwmon` of the kernel's ABI.
package struct BoardSensors: Sendable {
    private let system: SystemFiles

    package init(_ system: SystemFiles = SystemFiles()) { self.system = system }

    /// The temperature of the hottest zone, in degrees Celsius; nil where there is none.
    package var temperature: Double? {
        let zones = folders("/sys/class/thermal", "thermal_zone")
        return zones.compactMap { number($0 + "/temp") }.max().map { Double($0) / 1000 }
    }

    /// Whether the kernel holds the processor back because of heat; nil where it would not.
    package var isThrottled: Bool? {
        let coolers = folders("/sys/class/thermal", "cooling_device").filter { device in
            guard let type = system.line(device + "/type") else { return false }
            return type == "Processor" || type.contains("cpufreq")
        }
        return coolers.isEmpty ? nil : coolers.contains { number($0 + "/cur_state") ?? 0 > 0 }
    }

    /// Whether the supply's voltage is too low; nil where nothing watches it. A Raspberry Pi's firmware does.
    package var isUndervolted: Bool? {
        let monitors = folders("/sys/class/hwmon", "hwmon").filter { system.line($0 + "/name") == "rpi_volt" }
        return monitors.first.flatMap { number($0 + "/in0_lcrit_alarm") }.map { $0 != 0 }
    }

    private func folders(_ folder: String, _ prefix: String) -> [String] {
        system.names(folder).filter { $0.hasPrefix(prefix) }.map { "\(folder)/\($0)" }
    }

    private func number(_ path: String) -> Int? { system.line(path).flatMap { Int($0) } }
}
