import Glibc
import Posix

/// The bytes between a device and its host.
final class HostLink {
    private let port: VirtualPort
    private var received: [UInt8] = []

    init(_ port: consuming VirtualPort) {
        self.port = port
    }

    var portNumber: Int { port.number }
    var descriptor: CInt { port.socket.rawValue }

    /// Waits for bytes, and returns the messages that they complete.
    ///
    /// - Returns: nil if the host has released the port.
    func receive() -> [USBIPMessage]? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return count < 0 && errno == EINTR ? [] : nil }
        received += buffer.prefix(count)
        var messages: [USBIPMessage] = []
        while received.count >= USBIPMessage.headerSize {
            guard let message = USBIPMessage(header: Array(received.prefix(USBIPMessage.headerSize))) else {
                return nil
            }
            let end = USBIPMessage.headerSize + message.dataLength
            guard received.count >= end else { break }
            messages.append(message.with(Array(received[USBIPMessage.headerSize..<end])))
            received.removeFirst(end)
        }
        return messages
    }

    func send(_ reply: USBIPReply) {
        let bytes = reply.bytes
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, bytes.count - sent) }
            if count < 0 && errno == EINTR { continue }
            // A host that is gone is seen by the next receive().
            guard count > 0 else { return }
            sent += count
        }
    }
}
