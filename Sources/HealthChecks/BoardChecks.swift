package import Posix

/// What slows a board down, or sets its clock.
package struct BoardChecks: Sendable {
    private let system: SystemFiles
    private let sensors: BoardSensors

    package init(_ system: SystemFiles = SystemFiles()) {
        self.system = system
        sensors = BoardSensors(system)
    }

    /// All of them but the clock.
    package var findings: [Finding] { [processor, heat, supply].compactMap { $0 } }

    /// How UTC is kept.
    ///
    /// - Parameters:
    ///   - isNeeded: whether rig time depends on it, as with `clock: system`, or photos' UTC times do.
    ///   - error: how far it may be off, in nanoseconds; nil where nobody disciplines it.
    ///   - microsecondsSinceEpoch: what it shows.
    package static func clock(
        isNeeded: Bool, error: Int64? = Clocks.realtimeError(),
        microsecondsSinceEpoch: Int64 = Clocks.microsecondsSinceEpoch()
    ) -> Finding {
        let advice = "Install chrony, and see with `chronyc tracking` that it has a source."
        // Before 2025: a board without a battery that has not been told the time.
        guard microsecondsSinceEpoch > 1_735_689_600_000_000 else {
            let message = "The clock has not been set since the board was switched on."
            return isNeeded
                ? .problem("clock", message, advice: advice)
                : .ok("clock", message + " Rig time and UTC come from the coordinator.")
        }
        guard let error else {
            let message = "Nobody disciplines the clock, as chrony or PTP would."
            return isNeeded
                ? .warning("clock", message, advice: advice)
                : .ok("clock", message + " Rig time comes from the coordinator.")
        }
        return .ok("clock", "The clock is disciplined, and within \(error / 1_000_000 + 1) ms of UTC.")
    }

    /// Whether somebody who looks for the board can have it blink.
    ///
    /// - Parameter name: the one in the configuration.
    package func light(_ name: String?) -> Finding {
        if let light = BoardLight(named: name, system) { return .ok("light", "'\(light.name)' can blink.") }
        guard let name else {
            return .ok("light", "No light of this board can be made to blink; `light` in the configuration names one.")
        }
        let known = system.names("/sys/class/leds").sorted().joined(separator: ", ")
        return .warning(
            "light", "'\(name)' cannot be switched, or does something that could not be put back.",
            advice: known.isEmpty
                ? "The kernel knows of no lights: leave out `light`."
                : "The kernel knows these: \(known). The service's user needs to own `brightness` and `trigger` of one, "
                    + "as the rule volley-node.udev of the package sees to.")
    }

    private var processor: Finding? {
        let folder = "/sys/devices/system/cpu/cpufreq/"
        let policies = system.names(folder).filter { $0.hasPrefix("policy") }
        let slow = policies.filter { policy in
            // Where the processor itself chooses, that word means something else.
            let driver = system.line(folder + policy + "/scaling_driver") ?? ""
            let chooses = driver.hasPrefix("intel_pstate") || driver.hasPrefix("amd-pstate")
            return !chooses && system.line(folder + policy + "/scaling_governor") == "powersave"
        }
        if policies.isEmpty { return nil }
        guard slow.isEmpty else {
            return .warning(
                "processor", "The governor 'powersave' keeps the processor at its lowest frequency.",
                advice: "Choose 'schedutil' or 'performance', with `cpupower frequency-set -g performance`.")
        }
        let governor = system.line(folder + policies[0] + "/scaling_governor") ?? "unknown"
        return .ok("processor", "The governor is '\(governor)'.")
    }

    private var heat: Finding? {
        let degrees = sensors.temperature.map { "\(($0 * 10).rounded() / 10) °C" }
        if sensors.isThrottled == true || sensors.temperature ?? 0 > 80 {
            let slows = sensors.isThrottled == true ? ", and slows down" : ""
            return .warning(
                "heat", "The board is hot" + (degrees.map { " (\($0))" } ?? "") + slows + ".",
                advice: "Give it air or a heat sink: a board that slows down drops frames.")
        }
        return degrees.map { .ok("heat", "The hottest part is at \($0).") }
    }

    private var supply: Finding? {
        guard let isUndervolted = sensors.isUndervolted else { return nil }
        guard isUndervolted else { return .ok("supply", "The supply voltage is high enough.") }
        return .problem(
            "supply", "The supply voltage is too low.",
            advice: "Use a stronger supply or a shorter cable; cameras fail first.")
    }
}
