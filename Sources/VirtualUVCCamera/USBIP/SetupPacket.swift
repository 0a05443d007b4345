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
