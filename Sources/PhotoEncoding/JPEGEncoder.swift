import CTurboJPEG
package import CaptureModel

/// JPEG through libjpeg-turbo.
package enum JPEGEncoder {
    /// Compresses planes as they are; no detour through RGB.
    ///
    /// - Parameter quality: 1 to 100, libjpeg's scale.
    package static func encode(_ image: YUVImage, quality: Int = 92) throws(EncodingError) -> [UInt8] {
        let handle = try TurboJPEG(compressing: true)
        let subsampling =
            switch image.subsampling {
            case .yuv420: TJSAMP_420
            case .yuv422: TJSAMP_422
            case .grey: TJSAMP_GRAY
            }
        var output: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(output) }
        let result = image.bytes.withUnsafeBufferPointer { bytes in
            var planes = (0..<(image.subsampling == .grey ? 1 : 3)).map { index in
                bytes.baseAddress.map { $0 + image.planeRange(index).lowerBound }
            }
            return tjCompressFromYUVPlanes(
                handle.pointer, &planes, Int32(image.dimensions.width), nil, Int32(image.dimensions.height),
                Int32(subsampling.rawValue), &output, &size, Int32(quality), 0)
        }
        guard result == 0, let output else { throw handle.error("tjCompressFromYUVPlanes") }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }

    /// Decodes the luma of a JPEG at an eighth of its size; every byte of the scan is read on the way.
    ///
    /// That is the only way to know that none is missing: parsing the header, or the markers, does not reveal a scan
    /// that was cut short.
    ///
    /// - Parameter dimensions: the size that the picture must have; a damaged header can claim gigabytes.
    package static func thumbnail(
        _ bytes: UnsafeRawBufferPointer, dimensions: Dimensions
    ) throws(EncodingError) -> (dimensions: Dimensions, luma: [UInt8]) {
        let handle = try TurboJPEG(compressing: false)
        var (width, height, subsampling, colourspace) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let source = bytes.bindMemory(to: UInt8.self)
        guard
            tjDecompressHeader3(
                handle.pointer, source.baseAddress, UInt(bytes.count), &width, &height, &subsampling, &colourspace) == 0
        else { throw handle.error("tjDecompressHeader3") }
        guard width == dimensions.width, height == dimensions.height else {
            throw EncodingError(
                call: "tjDecompressHeader3", message: "the picture claims \(width)x\(height), not \(dimensions)")
        }
        // TJSCALED of an eighth.
        let small = Dimensions(width: Int(width + 7) / 8, height: Int(height + 7) / 8)
        var luma = [UInt8](repeating: 0, count: small.width * small.height)
        guard
            tjDecompress2(
                handle.pointer, source.baseAddress, UInt(bytes.count), &luma, Int32(small.width), 0,
                Int32(small.height), Int32(TJPF_GRAY.rawValue), TJFLAG_STOPONWARNING) == 0
        else { throw handle.error("tjDecompress2") }
        return (small, luma)
    }

    /// Decodes a JPEG at the smallest of libjpeg's scales that is no smaller than a box; as 4:2:0.
    static func decode(_ bytes: [UInt8], atLeast box: Dimensions) throws(EncodingError) -> YUVImage {
        let (size, pixels) = try pixels(of: bytes, as: TJPF_RGB) { size in
            [8, 4, 2].first { size.width / $0 >= box.width && size.height / $0 >= box.height } ?? 1
        }
        return try planes(of: pixels, size)
    }

    /// Decodes a JPEG.
    static func decode(_ bytes: [UInt8]) throws(EncodingError) -> RasterImage {
        let (size, pixels) = try pixels(of: bytes, as: TJPF_RGB) { _ in 1 }
        return RasterImage(dimensions: size, samples: .rgb8(pixels))
    }

    /// A picture's pixels, without padding.
    static func pixels(
        of bytes: [UInt8], as format: TJPF, dividedBy divisor: (Dimensions) -> Int
    ) throws(EncodingError) -> (Dimensions, [UInt8]) {
        let handle = try TurboJPEG(compressing: false)
        var (width, height, subsampling, colourspace) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard
            tjDecompressHeader3(
                handle.pointer, bytes, UInt(bytes.count), &width, &height, &subsampling, &colourspace) == 0
        else { throw handle.error("tjDecompressHeader3") }
        let objection = PictureBounds.objection(width: Int(width), height: Int(height), byteCount: bytes.count)
        if let objection { throw EncodingError(call: "tjDecompressHeader3", message: objection) }
        let divisor = divisor(Dimensions(width: Int(width), height: Int(height)))
        let size = Dimensions(
            width: (Int(width) + divisor - 1) / divisor, height: (Int(height) + divisor - 1) / divisor)
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * (format == TJPF_RGB ? 3 : 4))
        guard
            tjDecompress2(
                handle.pointer, bytes, UInt(bytes.count), &pixels, Int32(size.width), 0, Int32(size.height),
                Int32(format.rawValue), TJFLAG_STOPONWARNING) == 0
        else { throw handle.error("tjDecompress2") }
        return (size, pixels)
    }

    private static func planes(of pixels: [UInt8], _ size: Dimensions) throws(EncodingError) -> YUVImage {
        let handle = try TurboJPEG(compressing: true)
        let thin = (size.width + 1) / 2 * ((size.height + 1) / 2)
        var (luma, blue, red) = (
            [UInt8](repeating: 0, count: size.width * size.height), [UInt8](repeating: 0, count: thin),
            [UInt8](repeating: 0, count: thin)
        )
        let result = luma.withUnsafeMutableBufferPointer { luma in
            blue.withUnsafeMutableBufferPointer { blue in
                red.withUnsafeMutableBufferPointer { red in
                    var planes = [luma.baseAddress, blue.baseAddress, red.baseAddress]
                    return tjEncodeYUVPlanes(
                        handle.pointer, pixels, Int32(size.width), 0, Int32(size.height), Int32(TJPF_RGB.rawValue),
                        &planes, nil, Int32(TJSAMP_420.rawValue), 0)
                }
            }
        }
        guard result == 0 else { throw handle.error("tjEncodeYUVPlanes") }
        return YUVImage(dimensions: size, subsampling: .yuv420, planes: [luma, blue, red])
    }
}
