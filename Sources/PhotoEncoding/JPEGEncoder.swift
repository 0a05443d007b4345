import CTurboJPEG
package import CaptureModel

/// JPEG through libjpeg-turbo.
package enum JPEGEncoder {
    /// Compresses planes as they are; no detour over RGB.
    ///
    /// - Parameter quality: 1 to 100, libjpeg's scale.
    package static func encode(_ image: YUVImage, quality: Int = 92) throws(EncodingError) -> [UInt8] {
        let handle = try Handle(compressing: true)
        let subsampling =
            switch image.subsampling {
            case .yuv420: TJSAMP_420
            case .yuv422: TJSAMP_422
            case .grey: TJSAMP_GRAY
            }
        var output: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(output) }
        let result = withPlanes(image.planes) { planes in
            var pointers = planes
            return tjCompressFromYUVPlanes(
                handle.pointer, &pointers, Int32(image.dimensions.width), nil, Int32(image.dimensions.height),
                Int32(subsampling.rawValue), &output, &size, Int32(quality), 0)
        }
        guard result == 0, let output else { throw handle.error("tjCompressFromYUVPlanes") }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }

    /// Decodes a whole JPEG and throws away the picture: the only way to know that no byte of it is missing.
    ///
    /// A parse of the header, or of the markers, does not see a scan that was cut short.
    ///
    /// - Parameter dimensions: what the picture must measure; a damaged header can claim gigabytes.
    package static func verify(_ bytes: [UInt8], dimensions: Dimensions) throws(EncodingError) {
        let handle = try Handle(compressing: false)
        var (width, height, subsampling, colourspace) = (Int32(0), Int32(0), Int32(0), Int32(0))
        guard
            tjDecompressHeader3(
                handle.pointer, bytes, UInt(bytes.count), &width, &height, &subsampling, &colourspace) == 0
        else { throw handle.error("tjDecompressHeader3") }
        guard width == dimensions.width, height == dimensions.height else {
            throw EncodingError(
                call: "tjDecompressHeader3", message: "the picture claims \(width)x\(height), not \(dimensions)")
        }
        // To YUV: the entropy decoding that finds damage, without the colour conversion.
        let size = tjBufSizeYUV2(width, 1, height, subsampling)
        guard size > 0, size != UInt.max else { throw handle.error("tjBufSizeYUV2") }
        var picture = [UInt8](repeating: 0, count: Int(size))
        guard
            tjDecompressToYUV2(
                handle.pointer, bytes, UInt(bytes.count), &picture, width, 1, height, TJFLAG_STOPONWARNING) == 0
        else { throw handle.error("tjDecompressToYUV2") }
    }

    private static func withPlanes<Result>(
        _ planes: [[UInt8]], _ body: ([UnsafePointer<UInt8>?]) -> Result
    ) -> Result {
        func descend(_ index: Int, _ pointers: [UnsafePointer<UInt8>?]) -> Result {
            guard index < planes.count else { return body(pointers) }
            return planes[index].withUnsafeBufferPointer { descend(index + 1, pointers + [$0.baseAddress]) }
        }
        return descend(0, [])
    }
}

/// The owner of a turbojpeg instance.
private struct Handle: ~Copyable {
    let pointer: tjhandle

    init(compressing: Bool) throws(EncodingError) {
        guard let pointer = compressing ? tjInitCompress() : tjInitDecompress() else {
            throw EncodingError(call: "tjInit", message: String(cString: tjGetErrorStr2(nil)))
        }
        self.pointer = pointer
    }

    deinit {
        tjDestroy(pointer)
    }

    func error(_ call: String) -> EncodingError {
        EncodingError(call: call, message: String(cString: tjGetErrorStr2(pointer)))
    }
}
