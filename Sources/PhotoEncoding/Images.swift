public import CaptureModel

/// A finished picture before it is a file.
public enum ProcessedImage: Sendable {
    /// The JPEG that the camera made.
    case jpeg([UInt8])
    case yuv(YUVImage)
}

/// Full-range planar Y'CbCr (JFIF), as libjpeg takes it.
public struct YUVImage: Sendable {
    /// The resolution of the colour planes.
    public enum Subsampling: Sendable {
        case yuv420, yuv422, grey
    }

    /// Of the luma plane.
    public let dimensions: Dimensions
    /// The resolution of the colour planes.
    public let subsampling: Subsampling
    /// Y, then U and V where there is colour, one after the other; rows without padding, an odd width's last colour
    /// column included.
    public let bytes: [UInt8]

    package init(dimensions: Dimensions, subsampling: Subsampling, bytes: [UInt8]) {
        self.dimensions = dimensions
        self.subsampling = subsampling
        self.bytes = bytes
        precondition(bytes.count == planeRange(subsampling == .grey ? 0 : 2).upperBound, "planes do not fit")
    }

    package init(dimensions: Dimensions, subsampling: Subsampling, planes: [[UInt8]]) {
        self.init(dimensions: dimensions, subsampling: subsampling, bytes: planes.flatMap { $0 })
    }

    /// Copies of the planes, each an array of its own.
    public var planes: [[UInt8]] {
        (0..<(subsampling == .grey ? 1 : 3)).map { Array(bytes[planeRange($0)]) }
    }

    /// The size of a plane: the first is luma, the others are subsampled.
    public func planeSize(_ index: Int) -> Dimensions {
        guard index > 0 else { return dimensions }
        return switch subsampling {
        case .yuv420: Dimensions(width: (dimensions.width + 1) / 2, height: (dimensions.height + 1) / 2)
        case .yuv422: Dimensions(width: (dimensions.width + 1) / 2, height: dimensions.height)
        case .grey: dimensions
        }
    }

    /// Where a plane lies in the bytes.
    public func planeRange(_ index: Int) -> Range<Int> {
        let luma = dimensions.width * dimensions.height
        guard index > 0 else { return 0..<luma }
        let colour = planeSize(1).width * planeSize(1).height
        return luma + (index - 1) * colour..<luma + index * colour
    }
}

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

/// A library's refusal to encode or decode.
package struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the call that was refused.
    package let call: String
    /// The library's reason, in its own words where it gives one.
    package let message: String

    package var description: String { "\(call): \(message)" }
}
