package import CaptureModel

/// A sensor's own samples, one colour at each pixel.
package struct BayerImage: Sendable {
    /// The colours of the first two rows' first two pixels.
    package enum Pattern: String, Sendable {
        case rggb, grbg, gbrg, bggr

        /// 0 red, 1 green, 2 blue: the first row's two, then the second's.
        var colours: [Int] {
            switch self {
            case .rggb: [0, 1, 1, 2]
            case .grbg: [1, 0, 2, 1]
            case .gbrg: [1, 2, 0, 1]
            case .bggr: [2, 1, 1, 0]
            }
        }
    }

    /// In samples.
    package let dimensions: Dimensions
    /// Which colour each sample is of.
    package let pattern: Pattern
    /// The sample of no light.
    package let blackLevel: UInt16
    /// The sample of saturation.
    package let whiteLevel: UInt16
    /// What a neutral surface gives in red, green and blue, the greatest being 1.
    package let neutral: [Double]
    /// Writes the samples of a row; they stay with whoever has them until they are asked for.
    package let readRow: @Sendable (_ row: Int, _ samples: UnsafeMutableBufferPointer<UInt16>) -> Void

    package init(
        dimensions: Dimensions, pattern: Pattern, blackLevel: UInt16, whiteLevel: UInt16, neutral: [Double],
        readRow: @escaping @Sendable (_ row: Int, _ samples: UnsafeMutableBufferPointer<UInt16>) -> Void
    ) {
        self.dimensions = dimensions
        self.pattern = pattern
        self.blackLevel = blackLevel
        self.whiteLevel = whiteLevel
        self.neutral = neutral
        self.readRow = readRow
    }

    /// - Parameter samples: row by row.
    package init(
        dimensions: Dimensions, pattern: Pattern, blackLevel: UInt16, whiteLevel: UInt16, neutral: [Double],
        samples: [UInt16]
    ) {
        let width = dimensions.width
        precondition(samples.count == width * dimensions.height, "samples do not fit the dimensions")
        self.init(
            dimensions: dimensions, pattern: pattern, blackLevel: blackLevel, whiteLevel: whiteLevel, neutral: neutral
        ) { row, target in
            _ = target.update(fromContentsOf: samples[row * width..<(row + 1) * width])
        }
    }

    /// All samples, row by row.
    package var samples: [UInt16] {
        let width = dimensions.width
        return [UInt16](unsafeUninitializedCapacity: width * dimensions.height) { buffer, count in
            buffer.initialize(repeating: 0)
            for row in 0..<dimensions.height {
                readRow(row, UnsafeMutableBufferPointer(rebasing: buffer[row * width..<(row + 1) * width]))
            }
            count = buffer.count
        }
    }
}
