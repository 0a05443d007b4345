import CaptureModel
package import PhotoCapture
package import PhotoEncoding
import Posix
package import Video4Linux

/// A copied frame, turned into what a format needs when it is asked for.
package struct V4L2Frame: FrameContents {
    let bytes: FrameBytes
    let format: ActiveFormat
    /// For libv4lconvert, which asks the driver about a frame's format; nil where none is at hand.
    let device: VideoDevice?

    package init(bytes: FrameBytes, format: ActiveFormat, device: VideoDevice?) {
        self.bytes = bytes
        self.format = format
        self.device = device
    }

    private var dimensions: Dimensions { Dimensions(width: format.width, height: format.height) }

    package func processedImage() throws -> ProcessedImage {
        switch format.pixelFormat {
        case .mjpeg, .jpeg:
            return .jpeg(bytes.withUnsafeBytes { Array($0) })
        case .yuyv:
            return .yuv(try packed422(luma: 0, blue: 1, red: 3))
        case .uyvy:
            return .yuv(try packed422(luma: 1, blue: 0, red: 2))
        case .grey:
            return .yuv(image(.grey, [try plane(at: 0, format.width, format.height, format.bytesPerLine)]))
        case .yuv420:
            return .yuv(try planar420())
        case .nv12:
            return .yuv(try semiplanar420())
        default:
            return .yuv(try converted())
        }
    }

    package func luminanceGrid() throws -> LuminanceGrid? {
        guard let reader = LuminanceReader(format) else { return nil }
        return try bytes.withUnsafeBytes { try reader.grid($0) }
    }

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
        let white = UInt16((UInt32(1) << UInt32(layout.bitsPerSample)) - 1)
        return BayerImage(
            dimensions: dimensions, pattern: pattern, blackLevel: 0, whiteLevel: white, neutral: [1, 1, 1],
            samples: try samples(layout) { $0 })
    }

    /// The samples row by row, each made into something else.
    private func samples<Sample>(_ layout: BayerLayout, _ make: (UInt16) -> Sample) throws -> [Sample] {
        let (width, height, size) = (format.width, format.height, layout.bytesPerSample)
        let stride = max(width * size, format.bytesPerLine)
        try check(stride * (height - 1) + width * size)
        return bytes.withUnsafeBytes { bytes in
            [Sample](unsafeUninitializedCapacity: width * height) { output, count in
                for row in 0..<height {
                    for column in 0..<width {
                        let offset = row * stride + column * size
                        let sample =
                            size == 1
                            ? UInt16(bytes[offset])
                            : UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
                        output.initializeElement(at: count, to: make(sample))
                        count += 1
                    }
                }
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
        let pairs = format.width / 2
        let rows = try plane(at: 0, pairs * 4, format.height, format.bytesPerLine)
        var planes = [
            [UInt8](repeating: 0, count: pairs * 2 * format.height),
            [UInt8](repeating: 0, count: pairs * format.height),
            [UInt8](repeating: 0, count: pairs * format.height),
        ]
        for pair in 0..<pairs * format.height {
            planes[0][pair * 2] = rows[pair * 4 + luma]
            planes[0][pair * 2 + 1] = rows[pair * 4 + luma + 2]
            planes[1][pair] = rows[pair * 4 + blue]
            planes[2][pair] = rows[pair * 4 + red]
        }
        return image(.yuv422, planes)
    }

    private func planar420() throws -> YUVImage {
        let stride = max(format.bytesPerLine, format.width)
        let (width, height) = ((format.width + 1) / 2, (format.height + 1) / 2)
        let blueStart = stride * format.height
        let redStart = blueStart + stride / 2 * height
        return image(
            .yuv420,
            [
                try plane(at: 0, format.width, format.height, stride),
                try plane(at: blueStart, width, height, stride / 2), try plane(at: redStart, width, height, stride / 2),
            ])
    }

    private func semiplanar420() throws -> YUVImage {
        let stride = max(format.bytesPerLine, format.width)
        let (width, height) = ((format.width + 1) / 2, (format.height + 1) / 2)
        let pairs = try plane(at: stride * format.height, width * 2, height, stride)
        let colour = (0..<2).map { first in (0..<width * height).map { pairs[$0 * 2 + first] } }
        return image(.yuv420, [try plane(at: 0, format.width, format.height, stride)] + colour)
    }

    /// A plane's rows without their padding.
    private func plane(at start: Int, _ width: Int, _ height: Int, _ stride: Int) throws -> [UInt8] {
        let stride = max(stride, width)
        try check(start + stride * (height - 1) + width)
        return bytes.withUnsafeBytes { bytes in
            if stride == width { return Array(bytes[start..<start + width * height]) }
            return (0..<height).flatMap { bytes[start + $0 * stride..<start + $0 * stride + width] }
        }
    }

    private func image(_ subsampling: YUVImage.Subsampling, _ planes: consuming [[UInt8]]) -> YUVImage {
        if !format.isFullRange { FullRange.expand(&planes) }
        return YUVImage(dimensions: dimensions, subsampling: subsampling, planes: planes)
    }

    // MARK: Through libv4lconvert

    private func converted() throws -> YUVImage {
        guard let device else { throw CaptureError(.encodeFailed, "\(format.pixelFormat) needs its device.") }
        let converter = try FormatConverter(device: device)
        var target = format
        target.pixelFormat = .yuv420
        target.bytesPerLine = format.width
        target.imageSize = format.width * format.height * 3 / 2
        let picture: [UInt8]
        if let layout = format.pixelFormat.bayer {
            let (source, bytes) = try eightBitBayer(layout)
            picture = try bytes.withUnsafeBytes { try converter.yuv420(from: $0, format: source) }
            // libv4lconvert makes 16...235 of RGB and Bayer, and leaves the range of Y'CbCr as it is.
            target.isFullRange = false
        } else {
            picture = try bytes.withUnsafeBytes { try converter.yuv420(from: $0, format: format) }
        }
        return try V4L2Frame(bytes: FrameBytes(picture), format: target, device: nil).planar420()
    }

    /// The samples as libv4lconvert knows them: 8 bits, on a display's curve, since they are linear.
    private func eightBitBayer(_ layout: BayerLayout) throws -> (ActiveFormat, [UInt8]) {
        let curve = FullRange.displayCurve(steps: 1 << layout.bitsPerSample)
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
        return (source, try samples(layout) { curve[min(Int($0), curve.count - 1)] })
    }
}
