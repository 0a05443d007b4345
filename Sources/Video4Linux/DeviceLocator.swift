import Glibc
package import Posix

/// Finds a camera's capture node by whatever name an operator gives it.
package enum DeviceLocator {
    /// Why no node answers to a name.
    package enum LocatorError: Error, Hashable, Sendable, CustomStringConvertible {
        case notFound(String)
        case ambiguous(String, paths: [String])
        case notACaptureDevice(String, alternative: String?)
        case system(SystemError)

        package var description: String {
            switch self {
            case .notFound(let name):
                return "There is no video device '\(name)'; plug it in, or name a path (/dev/video0), a name in "
                    + "/dev/v4l/by-id or /dev/v4l/by-path, or a serial number."
            case .ambiguous(let name, let paths):
                return "'\(name)' names \(paths.count) devices (\(paths.joined(separator: ", "))); "
                    + "name one by its path or its place in /dev/v4l/by-path."
            case .notACaptureDevice(let path, let alternative):
                let hint = alternative.map { " The capture node of the same camera is \($0)." } ?? ""
                return "\(path) is not a capture device: it delivers no frames.\(hint)"
            case .system(let error):
                return "\(error)"
            }
        }
    }

    /// Opens the capture node that a path, a by-id or by-path name, a serial number or a bus location stands for.
    package static func open(_ name: String) throws(LocatorError) -> VideoDevice {
        let candidates = try candidates(for: name)
        var refusal: LocatorError?
        var devices: [VideoDevice] = []
        for path in candidates {
            do {
                let device = try VideoDevice(path: path)
                if device.capability.canCapture { devices.append(device) }
            } catch  where error.errno == ENOTTY || error.errno == EINVAL {
                refusal = .notACaptureDevice(path, alternative: nil)
            } catch {
                refusal = .system(error)
            }
        }
        if let device = devices.first, devices.count == 1 { return device }
        if devices.count > 1 { throw .ambiguous(name, paths: devices.map(\.path)) }
        if let refusal { throw refusal }
        guard let path = candidates.first else { throw .notFound(name) }
        throw .notACaptureDevice(path, alternative: sibling(of: path))
    }

    /// Every video node of this machine, in order of their numbers.
    package static func nodePaths() -> [String] {
        entries(of: "/sys/class/video4linux").compactMap { number(of: $0) }.sorted().map { "/dev/video\($0)" }
    }

    /// The nodes of this machine that deliver frames, or may: one that cannot be opened is among them.
    package static func captureNodes() -> [String] {
        nodePaths().filter { path in
            do throws(SystemError) {
                return try VideoDevice(path: path).capability.canCapture
            } catch {
                return error.errno != ENOTTY && error.errno != EINVAL
            }
        }
    }

    /// The USB serial number of a node's device; nil where it has none.
    package static func serialNumber(ofNode path: String) -> String? {
        guard let node = resolved(path)?.split(separator: "/").last else { return nil }
        // The node belongs to a USB interface, whose parent is the device with the serial number.
        return firstLine(of: "/sys/class/video4linux/\(node)/device/../serial")
    }

    /// The metadata node that belongs to a capture node; nil where there is none.
    ///
    /// uvcvideo makes one for each stream, right after it, with the same interface as its parent.
    package static func metadataNode(ofNode path: String) -> VideoDevice? {
        guard let node = resolved(path)?.split(separator: "/").last, let number = number(of: node) else { return nil }
        let next = entries(of: "/sys/class/video4linux/\(node)/device/video4linux")
            .compactMap { Self.number(of: $0) }.filter { $0 > number }.min()
        // With a camera of two streams, the next node may belong to the other one.
        let device = next.flatMap { try? VideoDevice(path: "/dev/video\($0)") }
        return device?.capability.hasMetadata ?? false ? device : nil
    }

    /// How a USB camera's frames are transferred; nil where that is unknown, or the device is not on USB.
    package static func usbStream(ofNode path: String) -> USBStream? {
        guard let node = resolved(path)?.split(separator: "/").last else { return nil }
        let device = "/sys/class/video4linux/\(node)/device/.."
        guard let speed = firstLine(of: device + "/speed").flatMap({ Double($0) }) else { return nil }
        // An isochronous endpoint is there only while frames come.
        let endpoints = entries(of: device).filter { $0.contains(":") }.map { device + "/" + $0 }
            .filter { firstLine(of: $0 + "/bInterfaceSubClass") == "02" }
            .flatMap { interface in
                entries(of: interface).filter { $0.hasPrefix("ep_") }.map { interface + "/" + $0 }
            }
        let isBulk = endpoints.contains { firstLine(of: $0 + "/type") == "Bulk" }
        return USBStream(megabits: speed, isBulk: isBulk)
    }

    private static func number(of node: some StringProtocol) -> Int? {
        node.hasPrefix("video") ? Int(node.dropFirst(5)) : nil
    }

    private static func candidates(for name: String) throws(LocatorError) -> [String] {
        if name.hasPrefix("/") {
            guard access(name, F_OK) == 0 else { throw .notFound(name) }
            return [name]
        }
        for folder in ["/dev/v4l/by-id/", "/dev/v4l/by-path/", "/dev/v4l/", "/dev/"]
        where access(folder + name, F_OK) == 0 {
            return [folder + name]
        }
        let bySerial = nodePaths().filter { serialNumber(ofNode: $0) == name }
        if !bySerial.isEmpty { return bySerial }
        let byBus = nodePaths().filter { (try? VideoDevice(path: $0))?.capability.busInfo == name }
        if byBus.isEmpty { throw .notFound(name) }
        return byBus
    }

    private static func sibling(of path: String) -> String? {
        guard let bus = (try? VideoDevice(path: path))?.capability.busInfo else { return nil }
        return nodePaths().first { other in
            guard let capability = (try? VideoDevice(path: other))?.capability else { return false }
            return capability.busInfo == bus && capability.canCapture
        }
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(text(entry.pointee.d_name))
        }
        return names
    }

    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    private static func firstLine(of path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 256)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        let line = String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return line.isEmpty ? nil : line
    }
}
