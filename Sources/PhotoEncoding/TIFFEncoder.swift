import CTIFF
import CaptureModel
import Glibc

/// TIFF 6.0 of finished pixels, uncompressed, through libtiff.
package enum TIFFEncoder {
    private static let rowsPerStrip = 64

    /// Makes the file of a picture.
    package static func encode(_ image: RasterImage, metadata: PhotoMetadata) throws(EncodingError) -> [UInt8] {
        ctiff_silence()
        let size = image.dimensions
        let file = TIFFMemory(capacity: size.width * size.height * image.bytesPerPixel + 1 << 16)
        guard let tiff = file.open() else { throw EncodingError(call: "TIFFClientOpen", message: "refused") }
        do throws(EncodingError) {
            try write(image, metadata, to: TIFFWriter(tiff: tiff))
        } catch {
            TIFFClose(tiff)
            throw error
        }
        TIFFClose(tiff)
        return file.bytes
    }

    private static func write(
        _ image: RasterImage, _ metadata: PhotoMetadata, to writer: TIFFWriter
    ) throws(EncodingError) {
        let isColour = image.samplesPerPixel == 3
        try writer.writeLayout(
            image.dimensions, subfile: 0, bits: image.bitsPerSample, samples: image.samplesPerPixel, COMPRESSION_NONE,
            isColour ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK, rowsPerStrip: rowsPerStrip,
            metadata.orientation)
        try writer.writeResolution()
        try writer.writeIdentity(metadata)
        // The place of the EXIF directory is known only once it is written; until then the entry reserves the room.
        try writer.offset(TIFFTAG_EXIFIFD, 0)
        try writer.writeStrips(image, rowsPerStrip: rowsPerStrip)
        try writer.finishDirectory()
        let exif = try writer.writeExifDirectory(metadata, colourSpace: image.colourSpace)
        try writer.check(TIFFSetDirectory(writer.tiff, 0), "TIFFSetDirectory")
        try writer.offset(TIFFTAG_EXIFIFD, exif)
        try writer.check(TIFFRewriteDirectory(writer.tiff), "TIFFRewriteDirectory")
    }
}

extension TIFFWriter {
    /// TIFF requires a resolution: 72 to the inch stands for none.
    fileprivate func writeResolution() throws(EncodingError) {
        try double(TIFFTAG_XRESOLUTION, 72)
        try double(TIFFTAG_YRESOLUTION, 72)
        try integer(TIFFTAG_RESOLUTIONUNIT, Int(RESUNIT_INCH))
    }

    fileprivate func writeStrips(_ image: RasterImage, rowsPerStrip: Int) throws(EncodingError) {
        switch image.samples {
        case .luma8(let samples), .rgb8(let samples):
            try writeStrips(samples, image.dimensions.width * image.samplesPerPixel, rowsPerStrip)
        case .luma16(let samples): try writeStrips(samples, image.dimensions.width, rowsPerStrip)
        }
    }

    private func writeStrips<Sample: BitwiseCopyable>(
        _ samples: [Sample], _ width: Int, _ rowsPerStrip: Int
    ) throws(EncodingError) {
        for (strip, first) in stride(from: 0, to: samples.count, by: rowsPerStrip * width).enumerated() {
            // libtiff may swap bytes in place, so it gets a copy of its own, a strip at a time.
            var rows = Array(samples[first..<min(samples.count, first + rowsPerStrip * width)])
            let byteCount = tmsize_t(rows.count * MemoryLayout<Sample>.stride)
            let written = TIFFWriteEncodedStrip(tiff, UInt32(strip), &rows, byteCount)
            guard written == byteCount else { throw EncodingError(call: "TIFFWriteEncodedStrip", message: "refused") }
        }
    }
}

extension RasterImage {
    fileprivate var samplesPerPixel: Int {
        switch samples {
        case .luma8, .luma16: 1
        case .rgb8: 3
        }
    }

    fileprivate var bitsPerSample: Int {
        switch samples {
        case .luma8, .rgb8: 8
        case .luma16: 16
        }
    }

    /// EXIF 2.32, 4.6.5: 1 for sRGB, 65535 for what nobody calibrated.
    fileprivate var colourSpace: Int {
        switch samples {
        case .luma8, .rgb8: 1
        case .luma16: 65535
        }
    }

    fileprivate var bytesPerPixel: Int { samplesPerPixel * bitsPerSample / 8 }
}
