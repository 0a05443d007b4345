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
