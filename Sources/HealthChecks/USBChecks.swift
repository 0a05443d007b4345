package import Posix

/// How a USB camera is plugged in.
package struct USBChecks: Sendable {
    private let system: SystemFiles

    package init(_ system: SystemFiles = SystemFiles()) { self.system = system }

    /// - Parameter node: the name of a video node, such as `video0`; one that is not on USB has no findings.
    package func findings(of node: String) -> [Finding] {
        // The node belongs to an interface, and that to the device.
        let device = "/sys/class/video4linux/\(node)/device/.."
        guard let speed = system.line(device + "/speed").flatMap(Double.init) else { return [] }
        return [link(device, speed), sharing(device, speed), sleep(device)].compactMap { $0 }
    }

    private func link(_ device: String, _ speed: Double) -> Finding {
        let version = system.line(device + "/version")?.filter { $0 != " " } ?? "?"
        let bus = "The camera runs at \(Int(speed)) Mbit/s, and speaks USB \(version)."
        // A device for USB 3 says 2.10 when it finds itself on USB 2.
        if version == "2.10", speed <= 480 {
            return .warning(
                "usb", bus, advice: "It could be faster on a USB 3 port, with a cable for USB 3 and no hub for USB 2.")
        }
        guard speed >= 480 else {
            return .problem(
                "usb", bus, advice: "That is too slow for pictures: change the cable, the port or the hub.")
        }
        return .ok("usb", bus)
    }

    /// Other cameras on the same bus share what it carries.
    private func sharing(_ device: String, _ speed: Double) -> Finding? {
        guard let bus = system.line(device + "/busnum"), let own = system.line(device + "/devnum") else { return nil }
        let others = system.names("/sys/class/video4linux").compactMap { other -> String? in
            let device = "/sys/class/video4linux/\(other)/device/.."
            guard system.line(device + "/busnum") == bus else { return nil }
            return system.line(device + "/devnum")
        }
        let count = Set(others).subtracting([own]).count
        guard count > 0, speed <= 480 else { return nil }
        return .warning(
            "usb", count == 1 ? "Another camera is on the same bus." : "\(count) other cameras are on the same bus.",
            advice: "They share its 480 Mbit/s: use a compressed format, or a bus for each.")
    }

    private func sleep(_ device: String) -> Finding? {
        guard system.line(device + "/power/control") == "auto" else { return nil }
        return .warning(
            "usb", "The camera may be put to sleep while nobody uses it.",
            advice: "The package's udev rule keeps it awake; by hand: echo on >\(device)/power/control")
    }
}
