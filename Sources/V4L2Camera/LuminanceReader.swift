import CaptureModel
import Glibc
import PhotoCapture
import PhotoEncoding
import Posix
import Video4Linux

/// Reads the brightness of a frame at the places of the grid, without converting the frame.
struct LuminanceReader {
    private enum Layout {
        /// Luma samples so many bytes apart, beginning so far in, of so many bits each.
        case luma(first: Int, step: Int, bits: Int)
        case bayer(BayerLayout)
        case jpeg
    }

    private let layout: Layout
    private let format: ActiveFormat

    /// Nil for formats whose brightness is not read.
    init?(_ format: ActiveFormat) {
        self.format = format
        switch format.pixelFormat {
        case .yuyv: layout = .luma(first: 0, step: 2, bits: 8)
        case .uyvy: layout = .luma(first: 1, step: 2, bits: 8)
        case .grey, .nv12, .yuv420: layout = .luma(first: 0, step: 1, bits: 8)
        case .mjpeg, .jpeg: layout = .jpeg
        default:
            if let bits = format.pixelFormat.greyBits {
                layout = .luma(first: 0, step: 2, bits: bits)
            } else if let bayer = format.pixelFormat.bayer {
                layout = .bayer(bayer)
            } else {
                return nil
            }
        }
    }

    /// - Throws: for data that are cut short or broken.
    func grid(_ bytes: UnsafeRawBufferPointer) throws -> LuminanceGrid {
        switch layout {
        case .luma(let first, let step, let bits):
            let stride = max(format.bytesPerLine, format.width * step)
            try check(bytes, stride * (format.height - 1) + format.width * step)
            let (zero, scale) = range(bits: bits)
            let size = bits > 8 ? 2 : 1
            return LuminanceGrid(width: format.width, height: format.height) { column, row in
                (Float(bytes.sample(at: row * stride + column * step + first, size: size)) - zero) * scale
            }
        case .bayer(let layout):
            return try bayerGrid(bytes, layout)
        case .jpeg:
            let picture = try JPEGEncoder.thumbnail(
                bytes, dimensions: Dimensions(width: format.width, height: format.height))
            return LuminanceGrid(width: picture.dimensions.width, height: picture.dimensions.height) { column, row in
                Float(picture.luma[row * picture.dimensions.width + column]) / 255
            }
        }
    }

    /// The code of black, and one over the codes from there to white.
    private func range(bits: Int) -> (zero: Float, scale: Float) {
        let step = Float(1 << (bits - 8))
        return format.isFullRange ? (0, 1 / Float(1 << bits - 1)) : (16 * step, 1 / (219 * step))
    }

    /// The mean of the four samples around each place.
    private func bayerGrid(_ bytes: UnsafeRawBufferPointer, _ layout: BayerLayout) throws -> LuminanceGrid {
        let size = layout.bytesPerSample
        let stride = max(format.bytesPerLine, format.width * size)
        try check(bytes, stride * (format.height - 1) + format.width * size)
        let white = Float((1 << layout.bitsPerSample) - 1)
        func sample(_ column: Int, _ row: Int) -> Float {
            Float(bytes.sample(at: row * stride + column * size, size: size))
        }
        return LuminanceGrid(width: format.width / 2, height: format.height / 2) { column, row in
            let (left, top) = (column * 2, row * 2)
            return (sample(left, top) + sample(left + 1, top) + sample(left, top + 1) + sample(left + 1, top + 1))
                / (4 * white)
        }
    }

    private func check(_ bytes: UnsafeRawBufferPointer, _ needed: Int) throws {
        guard bytes.count >= needed else {
            throw CaptureError(.noDataCaptured, "The frame is cut short: \(bytes.count) bytes of \(needed).")
        }
    }
}

extension UnsafeRawBufferPointer {
    /// A sample of one byte, or of two in little-endian order.
    func sample(at offset: Int, size: Int) -> UInt16 {
        size == 1
            ? UInt16(self[offset]) : UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }
}
