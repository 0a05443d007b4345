import Glibc
import Posix

/// A port of the kernel's virtual host controller with a device in it; unplugged when this is released.
///
/// Linux: `drivers/usb/usbip/vhci_sysfs.c`. The kernel reads and writes the other end of a socket pair; end of file
/// there is the unplug. Only root may write the file `attach`.
struct VirtualPort: ~Copyable, Sendable {
    private static let controller = "/sys/devices/platform/vhci_hcd.0"
    /// USB 2.0's 480 Mbit/s, in the kernel's `enum usb_device_speed`.
    private static let highSpeed = 3

    let number: Int
    let socket: OwnedFileDescriptor

    /// Plugs a device into the first free port.
    ///
    /// - Throws: ``SystemError`` naming the controller's file if the module `vhci-hcd` is not loaded or permission is
    ///   missing.
    static func plugIn(deviceID: UInt32 = 0x0001_0002) throws(SystemError) -> VirtualPort {
        var ends: (CInt, CInt) = (-1, -1)
        let result = withUnsafeMutableBytes(of: &ends) { bytes in
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, bytes.bindMemory(to: CInt.self).baseAddress)
        }
        guard result == 0 else { throw .last("socketpair", "the virtual port") }
        let ours = OwnedFileDescriptor(owning: ends.0)
        let theirs = OwnedFileDescriptor(owning: ends.1)
        var refusal = SystemError(call: "attach", errno: EBUSY, subject: "\(controller): no free port")
        for port in try freePorts() {
            do {
                try write("\(port) \(theirs.rawValue) \(deviceID) \(highSpeed)", to: controller + "/attach")
                return VirtualPort(number: port, socket: ours)
            } catch {
                // Somebody else was faster.
                refusal = error
                if error.errno != EBUSY { break }
            }
        }
        throw refusal
    }

    /// The free ports, from lines such as `hs  0000 004 000 00000000 000000 0-0`: the hub, the port, 4 for free.
    private static func freePorts() throws(SystemError) -> [Int] {
        let file = try OwnedFileDescriptor(path: controller + "/status", flags: O_RDONLY)
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = read(file.rawValue, &buffer, buffer.count)
        guard count > 0 else { throw .last("read", controller + "/status") }
        return String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 2, words[0] == "hs", words[2] == "004" else { return nil }
            return Int(words[1])
        }
    }

    private static func write(_ text: String, to path: String) throws(SystemError) {
        let file = try OwnedFileDescriptor(path: path, flags: O_WRONLY)
        let bytes = Array(text.utf8)
        guard Glibc.write(file.rawValue, bytes, bytes.count) == bytes.count else { throw .last("write", path) }
    }
}
