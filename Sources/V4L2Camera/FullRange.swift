import Glibc

/// Tables that bring a driver's numbers to those that JPEG means.
enum FullRange {
    /// 16...235 to 0...255 for luma, 16...240 for the colour behind it (BT.601). In place: a picture of many megabytes
    /// is not worth a copy.
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
            let linear = Float(step) / Float(max(1, steps - 1))
            return clamp(255 * (linear <= 0.003_130_8 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055))
        }
    }

    private static func clamp(_ value: Float) -> UInt8 {
        UInt8(min(max(value.rounded(), 0), 255))
    }
}
