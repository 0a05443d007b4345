import Glibc

/// Tables that bring a driver's numbers to those that JPEG means.
enum FullRange {
    /// 16...235 to 0...255 for luma, 16...240 for colour (BT.601).
    static func expand(_ planes: inout [[UInt8]]) {
        for index in planes.indices {
            let table = index == 0 ? luma : colour
            // In place: a picture of many megabytes is not worth a copy.
            for place in planes[index].indices { planes[index][place] = table[Int(planes[index][place])] }
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
