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
    /// Luma alone, so many bits of it in 16-bit little-endian words; nil for anything else, packed luma included.
    ///
    /// `V4L2_PIX_FMT_Y10`, `Y12`, `Y14` and `Y16`: what machine vision cameras and infrared ones deliver.
    package var greyBits: Int? {
        switch description {
        case "Y10": 10
        case "Y12": 12
        case "Y14": 14
        case "Y16": 16
        default: nil
        }
    }

    /// A JPEG for each frame, Huffman tables possibly left out.
    package static let mjpeg = PixelFormat(code: "MJPG")
    /// A whole JPEG for each frame.
    package static let jpeg = PixelFormat(code: "JPEG")

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

/// How a Bayer format packs its samples.
package struct BayerLayout: Hashable, Sendable {
    /// The colours of the first four pixels: two of the first row, two of the second.
    package enum Pattern: String, Sendable, Hashable {
        case rggb, grbg, gbrg, bggr
    }

    package let pattern: Pattern
    /// Significant bits of a sample.
    package let bitsPerSample: Int
    /// 1 for 8-bit formats, 2 for samples in 16-bit little-endian words.
    package let bytesPerSample: Int
}

extension PixelFormat {
    /// The layout of an unpacked Bayer format; nil for anything else, packed Bayer included.
    package var bayer: BayerLayout? {
        Self.bayerLayouts[description]
    }

    private static let bayerLayouts: [String: BayerLayout] = {
        // linux/videodev2.h: code, pattern, bits.
        let table: [(String, BayerLayout.Pattern, Int)] = [
            ("BA81", .bggr, 8), ("GBRG", .gbrg, 8), ("GRBG", .grbg, 8), ("RGGB", .rggb, 8),
            ("BG10", .bggr, 10), ("GB10", .gbrg, 10), ("BA10", .grbg, 10), ("RG10", .rggb, 10),
            ("BG12", .bggr, 12), ("GB12", .gbrg, 12), ("BA12", .grbg, 12), ("RG12", .rggb, 12),
            ("BYR2", .bggr, 16), ("GB16", .gbrg, 16), ("GR16", .grbg, 16), ("RG16", .rggb, 16),
        ]
        return Dictionary(
            uniqueKeysWithValues: table.map { code, pattern, bits in
                (code, BayerLayout(pattern: pattern, bitsPerSample: bits, bytesPerSample: bits == 8 ? 1 : 2))
            })
    }()
}
