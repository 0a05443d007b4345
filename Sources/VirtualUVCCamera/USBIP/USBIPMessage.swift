/// A message of the USB/IP protocol between the kernel's virtual host controller and a device; numbers big-endian.
///
/// Linux: `Documentation/usb/usbip_protocol.rst`. Every header is 48 bytes long.
enum USBIPMessage: Hashable, Sendable {
    /// `USBIP_CMD_SUBMIT`: the host wants a transfer.
    case submit(Transfer)
    /// `USBIP_CMD_UNLINK`: the host gives up a transfer.
    case unlink(seqnum: UInt32, target: UInt32)

    /// A transfer that the host asks for.
    struct Transfer: Hashable, Sendable {
        let seqnum: UInt32
        let isIn: Bool
        let endpoint: UInt32
        let length: Int
        let setup: SetupPacket
        /// What the host sends; empty for a transfer to the host.
        var data: [UInt8]
    }

    static let headerSize = 48

    /// Parses a header.
    ///
    /// - Returns: nil for any other command; the protocol has no others from the host.
    init?(header: [UInt8]) {
        let seqnum = header.bigEndian32(at: 4)
        switch header.bigEndian32(at: 0) {
        case 1:
            self = .submit(
                Transfer(
                    seqnum: seqnum, isIn: header.bigEndian32(at: 12) == 1, endpoint: header.bigEndian32(at: 16),
                    length: Int(Int32(bitPattern: header.bigEndian32(at: 24))),
                    setup: SetupPacket(Array(header[40..<48])), data: []))
        case 2:
            self = .unlink(seqnum: seqnum, target: header.bigEndian32(at: 20))
        default:
            return nil
        }
    }

    /// The message with the bytes that followed its header.
    func with(_ data: [UInt8]) -> USBIPMessage {
        guard case .submit(var transfer) = self else { return self }
        transfer.data = data
        return .submit(transfer)
    }

    /// How many bytes follow the header.
    var dataLength: Int {
        if case .submit(let transfer) = self, !transfer.isIn { transfer.length } else { 0 }
    }
}

extension [UInt8] {
    func bigEndian32(at offset: Int) -> UInt32 {
        self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func setBigEndian32(_ value: UInt32, at offset: Int) {
        for index in 0..<4 { self[offset + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(index))) }
    }

    /// A number of the given width in bytes, little-endian, as in USB.
    static func littleEndian(_ value: Int64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * Int64($0))) }
    }

    func littleEndian32(at offset: Int) -> UInt32 {
        guard count >= offset + 4 else { return 0 }
        return (0..<4).reduce(0) { $0 | UInt32(self[offset + $1]) << (8 * UInt32($1)) }
    }
}
