import PhotoEncoding

/// Tables that map a driver's values to those that JPEG expects.
enum FullRange {
    /// 16...235 to 0...255 for luma, 16...240 for the colour that follows it (BT.601). In place: this is not worth a
    /// copy of many megabytes.
    static func expand(_ planar: inout [UInt8], lumaCount: Int) {
        planar.withUnsafeMutableBufferPointer { bytes in
            for place in 0..<lumaCount { bytes[place] = luma[Int(bytes[place])] }
            for place in lumaCount..<bytes.count { bytes[place] = colour[Int(bytes[place])] }
        }
    }

    private static let luma: [UInt8] = (0..<256).map { clamp((Float($0) - 16) * 255 / 219) }
    private static let colour: [UInt8] = (0..<256).map { clamp((Float($0) - 128) * 255 / 224 + 128) }

    /// Linear samples to the sRGB curve, 8 bits.
    static func displayCurve(steps: Int) -> [UInt8] {
        (0..<steps).map { step in
            clamp(Float(255 * SRGB.encoded(Double(step) / Double(max(1, steps - 1)))))
        }
    }

    private static func clamp(_ value: Float) -> UInt8 {
        UInt8(min(max(value.rounded(), 0), 255))
    }
}
