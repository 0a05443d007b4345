/// A payload header of a USB camera, as uvcvideo's metadata node hands it out. C: `struct uvc_meta_buf`.
///
/// Format `V4L2_META_FMT_UVC`: the system time at reception in 8 bytes, the host's USB frame number in 2, then length,
/// flags and, where the flags say so, PTS (4) and SCR (6) as the camera sent them (UVC 1.5, 2.4.3.3).
package struct UVCHeader: Hashable, Sendable {
    /// When the header was received, on CLOCK_MONOTONIC, in nanoseconds.
    package let receivedAt: Int64
    /// The device's clock when the capture of the frame began, in its own units; wraps.
    package let presentationTime: UInt32?
    /// The device's clock when the header was made; wraps.
    package let sourceClock: UInt32?

    private static let (hasPresentationTime, hasSourceClock): (UInt8, UInt8) = (4, 8)

    /// The headers of one frame, in the order of their reception; what is cut short at the end is left out.
    package static func headers(in bytes: UnsafeRawBufferPointer) -> [UVCHeader] {
        var headers: [UVCHeader] = []
        var offset = 0
        while offset + 12 <= bytes.count {
            let flags = bytes[offset + 11]
            let hasTime = flags & hasPresentationTime != 0
            let hasClock = flags & hasSourceClock != 0
            let clockOffset = offset + 12 + (hasTime ? 4 : 0)
            let end = clockOffset + (hasClock ? 6 : 0)
            guard end <= bytes.count else { break }
            func number(_ place: Int) -> UInt32 {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
            }
            headers.append(
                UVCHeader(
                    receivedAt: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self),
                    presentationTime: hasTime ? number(offset + 12) : nil,
                    sourceClock: hasClock ? number(clockOffset) : nil))
            offset = end
        }
        return headers
    }

    /// When the capture of a frame began, by all of its headers; nil where they do not agree, or none has it.
    package static func presentationTime(of headers: [UVCHeader]) -> UInt32? {
        let times = Set(headers.compactMap(\.presentationTime))
        return times.count == 1 ? times.first : nil
    }

    package init(receivedAt: Int64, presentationTime: UInt32?, sourceClock: UInt32?) {
        (self.receivedAt, self.presentationTime, self.sourceClock) = (receivedAt, presentationTime, sourceClock)
    }
}
