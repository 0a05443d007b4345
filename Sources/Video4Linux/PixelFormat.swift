/// A pixel format by its four-character code. C: `V4L2_PIX_FMT_*`.
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The format of a code such as `YUYV`; shorter codes are padded with spaces, nil for longer ones.
    package init?(_ code: some StringProtocol) {
        let characters = Array(code.utf8)
        guard (1...4).contains(characters.count) else { return nil }
        rawValue = (0..<4).reduce(0) { value, index in
            value | UInt32(index < characters.count ? characters[index] : 0x20) << (8 * UInt32(index))
        }
    }

    private init(code: StaticString) {
        rawValue = code.withUTF8Buffer { buffer in
            (0..<4).reduce(0) { $0 | UInt32(buffer[$1]) << (8 * UInt32($1)) }
        }
    }

    /// Y U Y V, 4:2:2 packed.
    package static let yuyv = PixelFormat(code: "YUYV")
    /// U Y V Y, 4:2:2 packed.
    package static let uyvy = PixelFormat(code: "UYVY")
    /// Planar 4:2:0, Y then U then V.
    package static let yuv420 = PixelFormat(code: "YU12")
    /// Planar 4:2:0, Y then interleaved U V.
    package static let nv12 = PixelFormat(code: "NV12")
    /// 8-bit luma alone.
    package static let grey = PixelFormat(code: "GREY")
    /// The layout of a format that is luma alone, of more than 8 bits; nil for any other format.
    ///
    /// `V4L2_PIX_FMT_Y10`, `Y10P` and the like: what machine vision cameras and infrared ones deliver.
    package var deepGrey: SampleLayout? {
        let code = description
        guard code.first == "Y", let bits = Int(code.dropFirst().prefix(2)), [10, 12, 14, 16].contains(bits) else {
            return nil
        }
        return switch code.dropFirst(3) {
        case "": SampleLayout(bits: bits)
        case "P" where bits < 16: SampleLayout(bits: bits, isPacked: true)
        default: nil
        }
    }

    /// A JPEG for each frame, Huffman tables possibly left out.
    package static let mjpeg = PixelFormat(code: "MJPG")
    /// A whole JPEG for each frame.
    package static let jpeg = PixelFormat(code: "JPEG")
    /// UVC's payload headers, on a metadata node. C: `V4L2_META_FMT_UVC`.
    static let uvcHeaders = PixelFormat(code: "UVCH")

    package var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) & 0x7f }
        return String(decoding: bytes, as: UTF8.self).trimmingSuffix()
    }
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

extension PixelFormat {
    /// The layout of a Bayer format; nil for anything else, compressed Bayer included.
    package var bayer: BayerLayout? {
        Self.bayerLayouts[description]
    }

    private static let bayerLayouts: [String: BayerLayout] = {
        // linux/videodev2.h: the codes of bggr, gbrg, grbg and rggb.
        let table: [(codes: [String], bits: Int, isPacked: Bool)] = [
            (["BA81", "GBRG", "GRBG", "RGGB"], 8, false),
            (["BG10", "GB10", "BA10", "RG10"], 10, false), (["pBAA", "pGAA", "pgAA", "pRAA"], 10, true),
            (["BG12", "GB12", "BA12", "RG12"], 12, false), (["pBCC", "pGCC", "pgCC", "pRCC"], 12, true),
            (["BG14", "GB14", "GR14", "RG14"], 14, false), (["pBEE", "pGEE", "pgEE", "pREE"], 14, true),
            (["BYR2", "GB16", "GR16", "RG16"], 16, false),
        ]
        let patterns: [BayerLayout.Pattern] = [.bggr, .gbrg, .grbg, .rggb]
        let entries = table.flatMap { codes, bits, isPacked in
            zip(codes, patterns).map {
                ($0, BayerLayout(pattern: $1, samples: SampleLayout(bits: bits, isPacked: isPacked)))
            }
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }()
}
