/// The payloads of a stream (UVC 1.1, 2.4.3.3): a two-byte header, then bytes of a frame.
struct Payload {
    private static let (frameID, endOfFrame, error, endOfHeader): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 0x40, 0x80)

    /// Toggles from frame to frame: the driver counts the changes.
    private var id: UInt8 = 0

    /// A frame's first packet, the header alone. The driver stamps the frame when it sees the new ID, and says of the
    /// stamp that it is the start of exposure.
    mutating func begin() -> [UInt8] {
        id ^= Self.frameID
        return [2, Self.endOfHeader | id]
    }

    /// The frame's bytes, and its end.
    func end(_ bytes: [UInt8], isBroken: Bool) -> [UInt8] {
        [2, Self.endOfHeader | Self.endOfFrame | id | (isBroken ? Self.error : 0)] + bytes
    }
}
