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

/// What the device answers.
enum USBIPReply: Hashable, Sendable {
    /// `USBIP_RET_SUBMIT`. A status below 0 is an errno: -32 (EPIPE) for a stall.
    case submit(seqnum: UInt32, status: Int32, data: [UInt8], actualLength: Int)
    /// `USBIP_RET_UNLINK`: -104 (ECONNRESET) if the transfer was still pending, 0 if it had been answered already.
    case unlink(seqnum: UInt32, status: Int32)

    var bytes: [UInt8] {
        var header = [UInt8](repeating: 0, count: USBIPMessage.headerSize)
        switch self {
        case .submit(let seqnum, let status, let data, let actualLength):
            header.setBigEndian32(3, at: 0)
            header.setBigEndian32(seqnum, at: 4)
            header.setBigEndian32(UInt32(bitPattern: status), at: 20)
            header.setBigEndian32(UInt32(actualLength), at: 24)
            return header + data
        case .unlink(let seqnum, let status):
            header.setBigEndian32(4, at: 0)
            header.setBigEndian32(seqnum, at: 4)
            header.setBigEndian32(UInt32(bitPattern: status), at: 20)
            return header
        }
    }
}

/// The eight bytes with which a control transfer begins (USB 2.0, 9.3); numbers little-endian.
struct SetupPacket: Hashable, Sendable {
    let requestType: UInt8
    let request: UInt8
    let value: UInt16
    let index: UInt16
    let length: UInt16

    init(_ bytes: [UInt8]) {
        requestType = bytes[0]
        request = bytes[1]
        value = UInt16(bytes[2]) | UInt16(bytes[3]) << 8
        index = UInt16(bytes[4]) | UInt16(bytes[5]) << 8
        length = UInt16(bytes[6]) | UInt16(bytes[7]) << 8
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
