import CTurboJPEG
package import CaptureModel

/// A finished picture as plain samples: luma, or red, green and blue, row by row.
package struct RasterImage: Sendable, Hashable {
    /// The samples of a picture.
    package enum Samples: Sendable, Hashable {
        /// From 0 for black to 255.
        case luma8([UInt8])
        /// From 0 for black to 65535.
        case luma16([UInt16])
        /// With sRGB's tone curve, from 0 to 255.
        case rgb8([UInt8])
    }

    /// In pixels.
    package let dimensions: Dimensions
    /// Row by row, without padding.
    package let samples: Samples

    package init(dimensions: Dimensions, samples: Samples) {
        self.dimensions = dimensions
        self.samples = samples
    }

    /// A picture's pixels, colour as JFIF has it (ITU-R BT.601 in full range).
    ///
    /// - Throws: ``EncodingError`` for a JPEG that is broken.
    package init(_ picture: ProcessedImage) throws(EncodingError) {
        switch picture {
        case .jpeg(let bytes): self = try JPEGEncoder.decode(bytes)
        case .yuv(let image) where image.subsampling == .grey:
            self.init(dimensions: image.dimensions, samples: .luma8(image.bytes))
        case .yuv(let image): self.init(dimensions: image.dimensions, samples: .rgb8(try Self.pixels(of: image)))
        }
    }

    private static func pixels(of image: YUVImage) throws(EncodingError) -> [UInt8] {
        let subsampling = image.subsampling == .yuv420 ? TJSAMP_420 : TJSAMP_422
        let size = image.dimensions
        let handle = try TurboJPEG(compressing: false)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        let result = image.bytes.withUnsafeBufferPointer { bytes in
            var planes = (0..<3).map { index in bytes.baseAddress.map { $0 + image.planeRange(index).lowerBound } }
            return tjDecodeYUVPlanes(
                handle.pointer, &planes, nil, Int32(subsampling.rawValue), &pixels, Int32(size.width), 0,
                Int32(size.height), Int32(TJPF_RGB.rawValue), 0)
        }
        guard result == 0 else { throw handle.error("tjDecodeYUVPlanes") }
        return pixels
    }
}
