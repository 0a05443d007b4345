import CaptureModel
package import PhotoCapture
package import PhotoEncoding
import Posix
package import Video4Linux

/// A copied frame, converted to what a format needs only on request.
package struct V4L2Frame: FrameContents {
    let bytes: FrameBytes
    /// How the bytes are to be read.
    package private(set) var format: ActiveFormat
    /// For libv4lconvert, which asks the driver about its formats; it can do without.
    let device: VideoDevice?

    package init(bytes: FrameBytes, format: ActiveFormat, device: VideoDevice?) {
        self.bytes = bytes
        self.format = format
        self.device = device
    }

    private var dimensions: Dimensions { Dimensions(width: format.width, height: format.height) }

    /// The camera's own JPEG, or planes; formats that are not read here go through libv4lconvert.
    package func processedImage() throws -> ProcessedImage {
        switch format.pixelFormat {
        case .mjpeg, .jpeg:
            return .jpeg(bytes.withUnsafeBytes { Array($0) })
        case .yuyv:
            return .yuv(try packed422(luma: 0, blue: 1, red: 3))
        case .uyvy:
            return .yuv(try packed422(luma: 1, blue: 0, red: 2))
        case .grey:
            return .yuv(try grey())
        case .yuv420:
            return .yuv(try planar420())
        case .nv12:
            return .yuv(try semiplanar420())
        default:
            return .yuv(try format.pixelFormat.deepGrey.map(deepGrey) ?? converted())
        }
    }

    /// 16-bit luma where the format has more than 8 bits, else the processed picture.
    package func rasterImage() throws -> RasterImage {
        guard let samples = format.pixelFormat.deepGrey else { return try RasterImage(processedImage()) }
        return RasterImage(dimensions: dimensions, samples: .luma16(try luma16(samples)))
    }

    /// Reads the brightness from the bytes as they are; nil for formats whose brightness is not read.
    package func luminanceGrid() throws -> LuminanceGrid? {
        guard let reader = LuminanceReader(format) else { return nil }
        return try bytes.withUnsafeBytes { try reader.grid($0) }
    }

    /// The Bayer samples, unpacked row by row as they are asked for.
    ///
    /// - Throws: ``CaptureError`` for a format without them, or a frame that is cut short.
    package func rawImage() throws -> BayerImage {
        guard let layout = format.pixelFormat.bayer else {
            throw CaptureError(.unsupportedSettings, "\(format.pixelFormat) holds no Bayer samples.")
        }
        let pattern: BayerImage.Pattern =
            switch layout.pattern {
            case .rggb: .rggb
            case .grbg: .grbg
            case .gbrg: .gbrg
            case .bggr: .bggr
            }
        let (width, source) = (format.width, layout.samples)
        let stride = max(source.byteCount(of: width), format.bytesPerLine)
        try check(stride * (format.height - 1) + source.byteCount(of: width))
        return BayerImage(
            dimensions: dimensions, pattern: pattern, blackLevel: 0, whiteLevel: source.white, neutral: [1, 1, 1]
        ) { [bytes] row, samples in
            bytes.withUnsafeBytes { bytes in
                for column in 0..<width { samples[column] = source.sample(bytes, row: row * stride, column) }
            }
        }
    }

    private func check(_ needed: Int) throws {
        guard bytes.count >= needed else {
            throw CaptureError(.noDataCaptured, "The frame is cut short: \(bytes.count) bytes of \(needed).")
        }
    }

    // MARK: Straight to planes

    private func packed422(luma: Int, blue: Int, red: Int) throws -> YUVImage {
        let (pairs, height, stride) = (format.width / 2, format.height, max(format.bytesPerLine, format.width / 2 * 4))
        try check(stride * (height - 1) + pairs * 4)
        let size = Dimensions(width: pairs * 2, height: height)
        let count = pairs * height
        let planar = bytes.withUnsafeBytes { bytes in
            [UInt8](unsafeUninitializedCapacity: count * 4) { output, written in
                for row in 0..<height {
                    for pair in 0..<pairs {
                        let (place, source) = (row * pairs + pair, row * stride + pair * 4)
                        output[place * 2] = bytes[source + luma]
                        output[place * 2 + 1] = bytes[source + luma + 2]
                        output[count * 2 + place] = bytes[source + blue]
                        output[count * 3 + place] = bytes[source + red]
                    }
                }
                written = count * 4
            }
        }
        return image(.yuv422, size, planar)
    }

    private func planar420() throws -> YUVImage {
        let stride = max(format.bytesPerLine, format.width)
        let (width, height) = ((format.width + 1) / 2, (format.height + 1) / 2)
        let blueStart = stride * format.height
        let redStart = blueStart + stride / 2 * height
        var planar: [UInt8] = []
        planar.reserveCapacity(format.width * format.height + 2 * width * height)
        try append(&planar, at: 0, format.width, format.height, stride)
        try append(&planar, at: blueStart, width, height, stride / 2)
        try append(&planar, at: redStart, width, height, stride / 2)
        return image(.yuv420, dimensions, planar)
    }

    private func semiplanar420() throws -> YUVImage {
        let stride = max(format.bytesPerLine, format.width)
        let (width, height) = ((format.width + 1) / 2, (format.height + 1) / 2)
        var pairs: [UInt8] = []
        try append(&pairs, at: stride * format.height, width * 2, height, stride)
        var planar: [UInt8] = []
        planar.reserveCapacity(format.width * format.height + 2 * width * height)
        try append(&planar, at: 0, format.width, format.height, stride)
        for first in 0..<2 { planar.append(contentsOf: (0..<width * height).lazy.map { pairs[$0 * 2 + first] }) }
        return image(.yuv420, dimensions, planar)
    }

    private func grey() throws -> YUVImage {
        var plane: [UInt8] = []
        try append(&plane, at: 0, format.width, format.height, format.bytesPerLine)
        return image(.grey, dimensions, plane)
    }

    /// The upper eight bits: what the camera puts into 8 bits when it is asked for GREY.
    private func deepGrey(_ samples: SampleLayout) throws -> YUVImage {
        image(.grey, dimensions, try deepLuma(samples) { UInt8(clamping: $0 >> UInt16(samples.bits - 8)) })
    }

    /// From 0 for black to 65535 for white.
    private func luma16(_ samples: SampleLayout) throws -> [UInt16] {
        let step = 1 << (samples.bits - 8)
        let (black, white) = format.isFullRange ? (0, Int(samples.white)) : (16 * step, 235 * step)
        return try deepLuma(samples) { sample in
            UInt16(clamping: ((Int(sample) - black) * 65535 + (white - black) / 2) / (white - black))
        }
    }

    private func deepLuma<Value>(_ samples: SampleLayout, _ value: (UInt16) -> Value) throws -> [Value] {
        let stride = max(format.bytesPerLine, samples.byteCount(of: format.width))
        try check(stride * (format.height - 1) + samples.byteCount(of: format.width))
        return bytes.withUnsafeBytes { bytes in
            [Value](unsafeUninitializedCapacity: format.width * format.height) { output, written in
                for row in 0..<format.height {
                    for column in 0..<format.width {
                        output.initializeElement(
                            at: row * format.width + column,
                            to: value(samples.sample(bytes, row: row * stride, column)))
                    }
                }
                written = format.width * format.height
            }
        }
    }

    /// Adds a plane's rows without their padding.
    private func append(_ plane: inout [UInt8], at start: Int, _ width: Int, _ height: Int, _ stride: Int) throws {
        let stride = max(stride, width)
        try check(start + stride * (height - 1) + width)
        bytes.withUnsafeBytes { bytes in
            for row in 0..<height {
                plane.append(contentsOf: bytes[start + row * stride..<start + row * stride + width])
            }
        }
    }

    private func image(_ subsampling: YUVImage.Subsampling, _ size: Dimensions, _ planar: [UInt8]) -> YUVImage {
        var planar = planar
        if !format.isFullRange { FullRange.expand(&planar, lumaCount: size.width * size.height) }
        return YUVImage(dimensions: size, subsampling: subsampling, bytes: planar)
    }

    // MARK: Through libv4lconvert

    private func converted() throws -> YUVImage {
        let converter = try FormatConverter(device: device)
        var target = format
        target.pixelFormat = .yuv420
        target.bytesPerLine = format.width
        target.imageSize = format.width * format.height * 3 / 2
        // libv4lconvert turns RGB and Bayer into 16...235, and leaves the range of Y'CbCr as it is.
        target.isFullRange = format.pixelFormat.bayer == nil && format.isFullRange
        let picture = try convertedBytes(converter)
        guard format.width % 2 == 0, format.height % 2 == 0 else {
            return try V4L2Frame(bytes: FrameBytes(picture), format: target, device: nil).planar420()
        }
        var frame = self
        frame.format = target
        return frame.image(.yuv420, dimensions, picture)
    }

    private func convertedBytes(_ converter: borrowing FormatConverter) throws -> [UInt8] {
        guard let layout = format.pixelFormat.bayer else {
            return try bytes.withUnsafeBytes { try converter.yuv420(from: $0, format: format) }
        }
        let (source, bytes) = try eightBitBayer(layout)
        return try bytes.withUnsafeBytes { try converter.yuv420(from: $0, format: source) }
    }

    /// The samples as libv4lconvert knows them: 8 bits, on a display's curve, since they are linear.
    private func eightBitBayer(_ layout: BayerLayout) throws -> (ActiveFormat, [UInt8]) {
        let curve = FullRange.displayCurve(steps: 1 << layout.samples.bits)
        let code =
            switch layout.pattern {
            case .rggb: "RGGB"
            case .grbg: "GRBG"
            case .gbrg: "GBRG"
            case .bggr: "BA81"
            }
        var source = format
        source.pixelFormat = PixelFormat(code) ?? format.pixelFormat
        source.bytesPerLine = format.width
        source.imageSize = format.width * format.height
        let raw = try rawImage()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(format.width * format.height)
        var row = [UInt16](repeating: 0, count: format.width)
        for index in 0..<format.height {
            row.withUnsafeMutableBufferPointer { raw.readRow(index, $0) }
            bytes.append(contentsOf: row.lazy.map { curve[min(Int($0), curve.count - 1)] })
        }
        return (source, bytes)
    }
}
