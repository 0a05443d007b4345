import CaptureModel
import Glibc
import PhotoCapture
import PhotoEncoding
import Posix
import Video4Linux

/// Reads the brightness of a frame at the places of the grid, without converting the frame.
struct LuminanceReader {
    private enum Layout {
        /// 8-bit luma samples at a stride in bytes, beginning at an offset.
        case luma(first: Int, step: Int)
        case deepGrey(SampleLayout)
        case bayer(BayerLayout)
        case jpeg
    }

    private let layout: Layout
    private let format: ActiveFormat

    /// Nil for formats whose brightness is not read.
    init?(_ format: ActiveFormat) {
        self.format = format
        switch format.pixelFormat {
        case .yuyv: layout = .luma(first: 0, step: 2)
        case .uyvy: layout = .luma(first: 1, step: 2)
        case .grey, .nv12, .yuv420: layout = .luma(first: 0, step: 1)
        case .mjpeg, .jpeg: layout = .jpeg
        default:
            if let samples = format.pixelFormat.deepGrey {
                layout = .deepGrey(samples)
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
        case .luma(let first, let step):
            let stride = try stride(bytes, row: format.width * step)
            let (zero, scale) = range(bits: 8)
            return LuminanceGrid(width: format.width, height: format.height) { column, row in
                (Float(bytes[row * stride + column * step + first]) - zero) * scale
            }
        case .deepGrey(let samples):
            let stride = try stride(bytes, row: samples.byteCount(of: format.width))
            let (zero, scale) = range(bits: samples.bits)
            return LuminanceGrid(width: format.width, height: format.height) { column, row in
                (Float(samples.sample(bytes, row: row * stride, column)) - zero) * scale
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

    /// The code of black, and the reciprocal of the number of codes from there to white.
    private func range(bits: Int) -> (zero: Float, scale: Float) {
        let step = Float(1 << (bits - 8))
        return format.isFullRange ? (0, 1 / Float(1 << bits - 1)) : (16 * step, 1 / (219 * step))
    }

    /// The mean of the four samples around each place.
    private func bayerGrid(_ bytes: UnsafeRawBufferPointer, _ layout: BayerLayout) throws -> LuminanceGrid {
        let stride = try stride(bytes, row: layout.samples.byteCount(of: format.width))
        let white = Float(layout.samples.white)
        func sample(_ column: Int, _ row: Int) -> Float {
            Float(layout.samples.sample(bytes, row: row * stride, column))
        }
        return LuminanceGrid(width: format.width / 2, height: format.height / 2) { column, row in
            let (left, top) = (column * 2, row * 2)
            return (sample(left, top) + sample(left + 1, top) + sample(left, top + 1) + sample(left + 1, top + 1))
                / (4 * white)
        }
    }

    /// From one row to the next, in bytes.
    ///
    /// - Parameter row: how many bytes a row takes, not counting its padding.
    private func stride(_ bytes: UnsafeRawBufferPointer, row: Int) throws -> Int {
        let stride = max(format.bytesPerLine, row)
        let needed = stride * (format.height - 1) + row
        guard bytes.count >= needed else {
            throw CaptureError(.noDataCaptured, "The frame is cut short: \(bytes.count) bytes of \(needed).")
        }
        return stride
    }
}
