/// The payloads of a stream (UVC 1.1, 2.4.3.3): a header, with the device's clock if it reports one, then bytes of a
/// frame.
struct Payload {
    private static let (frameID, endOfFrame, error, endOfHeader): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 0x40, 0x80)
    private static let (hasPresentationTime, hasSourceClock): (UInt8, UInt8) = (4, 8)

    /// Toggles from frame to frame: the driver counts the changes.
    private var id: UInt8 = 0

    /// A frame's first packet, a header alone. The driver stamps the frame when it sees the new ID, and claims that the
    /// stamp is the start of exposure.
    mutating func begin(_ times: DeviceTimes?) -> [UInt8] {
        id ^= Self.frameID
        return header(Self.endOfHeader, times)
    }

    /// A frame's last packet, with all its bytes.
    func end(_ bytes: [UInt8], isBroken: Bool, _ times: DeviceTimes?) -> [UInt8] {
        header(Self.endOfHeader | Self.endOfFrame | (isBroken ? Self.error : 0), times) + bytes
    }

    private func header(_ flags: UInt8, _ times: DeviceTimes?) -> [UInt8] {
        guard let times else { return [2, flags | id] }
        return [12, flags | id | Self.hasPresentationTime | Self.hasSourceClock]
            + .littleEndian(Int64(times.presentation), count: 4) + .littleEndian(Int64(times.source), count: 4)
            // The bus's frame number, which the virtual bus does not have.
            + [0, 0]
    }
}

/// The device's clock at the moment that it stamps a frame with, and at the sending of a header.
struct DeviceTimes: Hashable {
    let presentation: UInt32
    let source: UInt32
}
