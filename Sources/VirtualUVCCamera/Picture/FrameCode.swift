/// What a frame really was, written into its picture in black and white squares, so that a test can read it from a
/// delivered photo: after the driver, the encoder and everything else that might have mixed frames up.
package struct FrameCode: Hashable, Sendable {
    /// The exposure that the frame really had, in microseconds.
    package var exposure: UInt32
    /// The gain that was in force, in the camera's own units.
    package var gain: UInt16
    /// The sensor's number of the frame.
    package var frame: UInt32
    /// When the exposure began, on CLOCK_MONOTONIC, in nanoseconds.
    package var exposureStart: Int64

    package init(exposure: UInt32, gain: UInt16, frame: UInt32, exposureStart: Int64) {
        self.exposure = exposure
        self.gain = gain
        self.frame = frame
        self.exposureStart = exposureStart
    }

    /// The side of a square in pixels; if it were smaller, squares would blur into each other in a JPEG's blocks.
    private static let side = 8
    private static let byteCount = 20

    private var bytes: [UInt8] {
        let content: [UInt8] =
            .littleEndian(Int64(exposure), count: 4) + .littleEndian(Int64(gain), count: 2)
            + .littleEndian(Int64(frame), count: 4) + .littleEndian(exposureStart, count: 8)
        return content + .littleEndian(Int64(Self.checksum(content)), count: 2)
    }

    /// Writes the code over the upper left of a picture's luma.
    package func write(to luma: inout [UInt8], width: Int) {
        let columns = width / Self.side
        for (index, byte) in bytes.enumerated() {
            for bit in 0..<8 {
                let place = index * 8 + bit
                let value: UInt8 = byte >> bit & 1 == 1 ? 255 : 0
                let (left, top) = (place % columns * Self.side, place / columns * Self.side)
                for row in top..<top + Self.side {
                    for column in left..<left + Self.side { luma[row * width + column] = value }
                }
            }
        }
    }

    /// Reads the code from a picture, or from one at an eighth of its size, where a square is a pixel.
    ///
    /// - Returns: nil if the squares do not match their checksum.
    package init?(luma: [UInt8], width: Int, scale: Int = 1) {
        let side = Self.side / scale
        let columns = width / side
        guard columns > 0, luma.count >= width * side * ((Self.byteCount * 8 + columns - 1) / columns) else {
            return nil
        }
        let bytes = (0..<Self.byteCount).map { index in
            (0..<8).reduce(UInt8(0)) { byte, bit in
                let place = index * 8 + bit
                let middle = (place / columns * side + side / 2) * width + place % columns * side + side / 2
                return byte | (luma[middle] > 127 ? 1 : 0) << bit
            }
        }
        guard Self.checksum(Array(bytes.prefix(18))) == UInt16(bytes[18]) | UInt16(bytes[19]) << 8 else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        exposure = UInt32(number(0..<4))
        gain = UInt16(number(4..<6))
        frame = UInt32(number(6..<10))
        exposureStart = Int64(bitPattern: number(10..<18))
    }

    /// CRC-16/CCITT-FALSE.
    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(0xFFFF) { sum, byte in
            (0..<8).reduce(sum ^ UInt16(byte) << 8) { value, _ in
                value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
            }
        }
    }
}
