import CTIFF
package import CaptureModel
import Glibc

/// DNG 1.4 from Bayer samples, through libtiff.
///
/// The first directory holds a JPEG preview and everything about the photo; its SubIFD holds the samples. The
/// specification (1.4, page 20) recommends this, and file browsers and viewers then show a picture.
package enum DNGEncoder {
    /// The preview fits into these.
    private static let preview = Dimensions(width: 640, height: 480)

    /// Makes the file of a sensor's samples.
    package static func encode(_ image: BayerImage, metadata: PhotoMetadata) throws(EncodingError) -> [UInt8] {
        ctiff_silence()
        let neutral = asShotNeutral(image, metadata)
        let preview = self.preview(of: image, metadata: metadata, into: preview)
        let jpeg = try JPEGEncoder.encode(preview, quality: 85)
        // Growing a file of many megabytes would hold it twice.
        let file = TIFFMemory(capacity: image.dimensions.width * image.dimensions.height * 2 + jpeg.count + 1 << 16)
        guard let tiff = file.open() else { throw EncodingError(call: "TIFFClientOpen", message: "refused") }
        do throws(EncodingError) {
            let writer = TIFFWriter(tiff: tiff)
            try writer.writePreviewLayout(preview.dimensions, metadata.orientation)
            try writer.writeColour(image, neutral)
            try writer.writeIdentity(metadata)
            try writer.writeCamera(metadata)
            try write(image, metadata, preview: jpeg, to: writer)
        } catch {
            TIFFClose(tiff)
            throw error
        }
        TIFFClose(tiff)
        // libtiff calls it an IFD, as TIFF's Technical Note 1 has it; DNG and its readers expect a LONG.
        file.retype(TIFFTAG_SUBIFD, to: TIFF_LONG)
        return file.bytes
    }

    /// A finished picture of the samples; it has half their dimensions at most.
    package static func preview(of image: BayerImage, metadata: PhotoMetadata, into box: Dimensions) -> YUVImage {
        BayerPreview.make(of: image, into: box, neutral: asShotNeutral(image, metadata))
    }

    private static func write(
        _ image: BayerImage, _ metadata: PhotoMetadata, preview: [UInt8], to writer: TIFFWriter
    ) throws(EncodingError) {
        // The place of the EXIF directory is known only once it is written; until then the entry reserves the room.
        try writer.offset(TIFFTAG_EXIFIFD, 0)
        // The directory that is written next is the SubIFD.
        try writer.announceSubdirectory()
        try writer.writePreview(preview)
        try writer.writeLayout(image, metadata.orientation)
        try writer.writeSamples(image)
        let exif = try writer.writeExifDirectory(metadata)
        try writer.check(TIFFSetDirectory(writer.tiff, 0), "TIFFSetDirectory")
        try writer.offset(TIFFTAG_EXIFIFD, exif)
        try writer.check(TIFFRewriteDirectory(writer.tiff), "TIFFRewriteDirectory")
    }

    /// What the chosen gains take for neutral: the sensor's own neutral, less what they add.
    private static func asShotNeutral(_ image: BayerImage, _ metadata: PhotoMetadata) -> [Double] {
        guard let gains = metadata.whiteBalanceGains, image.neutral.count == 3 else { return image.neutral }
        let chosen = zip(image.neutral, [gains.red, gains.green, gains.blue]).map { $0 / $1 }
        let greatest = chosen.max() ?? 1
        return chosen.map { $0 / greatest }
    }
}

extension TIFFWriter {
    private static var rowsPerStrip: Int { 64 }

    func writeLayout(_ image: BayerImage, _ orientation: PictureOrientation) throws(EncodingError) {
        try writeLayout(
            image.dimensions, subfile: 0, bits: 16, samples: 1, COMPRESSION_NONE, PHOTOMETRIC_CFA,
            rowsPerStrip: Self.rowsPerStrip, orientation)
        try array(TIFFTAG_CFAREPEATPATTERNDIM, [UInt16(2), 2])
        try array(TIFFTAG_CFAPATTERN, image.pattern.colours.map { UInt8($0) })
        try array(TIFFTAG_BLACKLEVEL, [Float(image.blackLevel)])
        try array(TIFFTAG_WHITELEVEL, [UInt32(image.whiteLevel)])
    }

    func writePreviewLayout(_ size: Dimensions, _ orientation: PictureOrientation) throws(EncodingError) {
        try writeLayout(
            size, subfile: FILETYPE_REDUCEDIMAGE, bits: 8, samples: 3, COMPRESSION_JPEG, PHOTOMETRIC_YCBCR,
            rowsPerStrip: size.height, orientation)
        try check(ctiff_set_pair(tiff, UInt32(TIFFTAG_YCBCRSUBSAMPLING), 2, 2), "TIFFSetField(YCBCRSUBSAMPLING)")
        try array(TIFFTAG_REFERENCEBLACKWHITE, [Float(0), 255, 128, 255, 128, 255])
        // The JPEG has its own tables; libtiff keeps room for some.
        try check(TIFFUnsetField(tiff, UInt32(TIFFTAG_JPEGTABLES)), "TIFFUnsetField(JPEGTABLES)")
    }

    func announceSubdirectory() throws(EncodingError) { try array(TIFFTAG_SUBIFD, [UInt64(0)]) }

    /// A whole JPEG in one strip; no tag can be set after it.
    func writePreview(_ jpeg: [UInt8]) throws(EncodingError) {
        var bytes = jpeg
        let written = TIFFWriteRawStrip(tiff, 0, &bytes, tmsize_t(bytes.count))
        guard written == bytes.count else { throw EncodingError(call: "TIFFWriteRawStrip", message: "refused") }
        try finishDirectory()
    }

    func writeColour(_ image: BayerImage, _ asShotNeutral: [Double]) throws(EncodingError) {
        try array(TIFFTAG_DNGVERSION, [UInt8(1), 4, 0, 0])
        try array(TIFFTAG_DNGBACKWARDVERSION, [UInt8(1), 1, 0, 0])
        // XYZ to linear sRGB (IEC 61966-2-1), weighted by the sensor's own sensitivities: exact for the simulated
        // sensor, a neutral start for one that nobody calibrated.
        let matrix = [
            [3.2406, -1.5372, -0.4986], [-0.9689, 1.8758, 0.0415], [0.0557, -0.2040, 1.0570],
        ]
        let weighed = zip(image.neutral, matrix).flatMap { sensitivity, row in row.map { Float($0 * sensitivity) } }
        try array(TIFFTAG_COLORMATRIX1, weighed)
        try array(TIFFTAG_ASSHOTNEUTRAL, asShotNeutral.map { Float($0) })
        // 21: D65.
        try integer(TIFFTAG_CALIBRATIONILLUMINANT1, 21)
    }

    /// What only a DNG says about the camera.
    func writeCamera(_ metadata: PhotoMetadata) throws(EncodingError) {
        try string(TIFFTAG_UNIQUECAMERAMODEL, "\(metadata.make) \(metadata.model)")
        if let serial = metadata.bodySerialNumber { try string(TIFFTAG_CAMERASERIALNUMBER, serial) }
    }

    func writeSamples(_ image: BayerImage) throws(EncodingError) {
        let (width, height) = (image.dimensions.width, image.dimensions.height)
        // libtiff may swap bytes in place, so it gets a copy of its own, a strip at a time.
        var samples = [UInt16](repeating: 0, count: width * Self.rowsPerStrip)
        for (strip, first) in stride(from: 0, to: height, by: Self.rowsPerStrip).enumerated() {
            let rows = min(Self.rowsPerStrip, height - first)
            samples.withUnsafeMutableBufferPointer { buffer in
                for row in 0..<rows {
                    image.readRow(
                        first + row, UnsafeMutableBufferPointer(rebasing: buffer[row * width..<(row + 1) * width]))
                }
            }
            let byteCount = tmsize_t(rows * width * 2)
            let written = TIFFWriteEncodedStrip(tiff, UInt32(strip), &samples, byteCount)
            guard written == byteCount else { throw EncodingError(call: "TIFFWriteEncodedStrip", message: "refused") }
        }
        try finishDirectory()
    }
}
