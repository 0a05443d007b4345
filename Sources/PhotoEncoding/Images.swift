package import CaptureModel

/// A finished picture before it is a file.
package enum ProcessedImage: Sendable {
    /// The JPEG that the camera made.
    case jpeg([UInt8])
    case yuv(YUVImage)
}

/// Full-range planar Y'CbCr (JFIF), as libjpeg takes it.
package struct YUVImage: Sendable {
    /// How the colour planes are thinned out.
    package enum Subsampling: Sendable {
        case yuv420, yuv422, grey
    }

    package let dimensions: Dimensions
    package let subsampling: Subsampling
    /// Y, then U and V where there is colour; rows without padding, an odd width's last colour column included.
    package let planes: [[UInt8]]

    package init(dimensions: Dimensions, subsampling: Subsampling, planes: [[UInt8]]) {
        precondition(planes.count == (subsampling == .grey ? 1 : 3), "planes do not fit the subsampling")
        self.dimensions = dimensions
        self.subsampling = subsampling
        self.planes = planes
    }
}

/// A sensor's own samples, one colour at each pixel.
package struct BayerImage: Sendable {
    /// The colours of the first two rows' first two pixels.
    package enum Pattern: String, Sendable {
        case rggb, grbg, gbrg, bggr
    }

    package let dimensions: Dimensions
    package let pattern: Pattern
    package let blackLevel: UInt16
    package let whiteLevel: UInt16
    /// What a neutral surface gives in red, green and blue, the greatest being 1.
    package let neutral: [Double]
    /// Row by row.
    package let samples: [UInt16]

    package init(
        dimensions: Dimensions, pattern: Pattern, blackLevel: UInt16, whiteLevel: UInt16, neutral: [Double],
        samples: [UInt16]
    ) {
        precondition(samples.count == dimensions.width * dimensions.height, "samples do not fit the dimensions")
        self.dimensions = dimensions
        self.pattern = pattern
        self.blackLevel = blackLevel
        self.whiteLevel = whiteLevel
        self.neutral = neutral
        self.samples = samples
    }
}

/// What a library refused to encode or decode.
package struct EncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The call's name.
    package let call: String
    package let message: String

    package var description: String { "\(call): \(message)" }
}
