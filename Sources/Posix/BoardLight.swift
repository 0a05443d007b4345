import Glibc

/// A light on a board that may be made to blink; see `sysfs-class-led` of the kernel's ABI.
package struct BoardLight: Sendable {
    /// What boards call the light that shows that they are at work, the likeliest first.
    private static let usual = ["ACT", "led0", "PWR", "led1"]
    private static let usualFunctions = ["status", "activity", "heartbeat", "power"]
    /// What these are told besides is lost when another trigger is chosen.
    private static let triggersWithParameters: Set = ["timer", "oneshot", "pattern", "netdev"]

    /// What the kernel calls it.
    package let name: String
    private let system: SystemFiles
    private let folder: String
    /// All that it can: 1 or 255, say.
    private let brightest: String

    /// - Parameter name: nil for one that a board usually has; nothing where there is none, it may not be written to, or
    ///   what it does could not be put back.
    package init?(named name: String? = nil, _ system: SystemFiles = SystemFiles()) {
        let lights = system.names("/sys/class/leds").sorted()
        let chosen =
            name ?? Self.usual.first { lights.contains($0) }
            ?? Self.usualFunctions.lazy.compactMap { function in lights.first { $0.hasSuffix(":" + function) } }.first
        guard let chosen, lights.contains(chosen) else { return nil }
        self.name = chosen
        self.system = system
        folder = "/sys/class/leds/\(chosen)"
        brightest = system.line(folder + "/max_brightness") ?? "1"
        guard system.isWritable(folder + "/brightness"), system.isWritable(folder + "/trigger") else { return nil }
        if let trigger = habit.trigger, Self.triggersWithParameters.contains(trigger) { return nil }
    }

    /// What a light does by itself.
    package struct Habit: Sendable, Hashable {
        /// What makes it shine, such as `mmc0`; nil where nothing does.
        package var trigger: String?
        /// How much it shines where nothing makes it.
        package var brightness: String

        package init(trigger: String?, brightness: String) {
            (self.trigger, self.brightness) = (trigger, brightness)
        }
    }

    /// What it does now.
    package var habit: Habit {
        let chosen = system.line(folder + "/trigger")?.split(separator: " ").first { $0.hasPrefix("[") }
        let trigger = chosen.map { String($0.dropFirst().dropLast()) }
        return Habit(
            trigger: trigger == "none" ? nil : trigger, brightness: system.line(folder + "/brightness") ?? "0")
    }

    /// What is held by whoever has it blink; nil where another program does.
    package func lock() -> OwnedFileDescriptor? { system.lock(folder + "/brightness") }

    /// Nothing makes it shine by itself any more.
    ///
    /// - Returns: false where the kernel refuses.
    package func forsake() -> Bool { system.write("none", to: folder + "/trigger") }

    /// It does again what it did.
    package func resume(_ habit: Habit) {
        if let trigger = habit.trigger {
            system.write(trigger, to: folder + "/trigger")
        } else {
            system.write(habit.brightness, to: folder + "/brightness")
        }
    }

    /// Switches it, once it is forsaken.
    package func shine(_ isOn: Bool) { system.write(isOn ? brightest : "0", to: folder + "/brightness") }
}
