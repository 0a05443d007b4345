import CTIFF
import CaptureModel
import Glibc

/// Writes the fields and directories of a TIFF through libtiff, field by field.
struct TIFFWriter {
    let tiff: OpaquePointer

    func writeLayout(
        _ size: Dimensions, subfile: Int32, bits: Int, samples: Int, _ compression: Int32, _ photometric: Int32,
        rowsPerStrip: Int, _ orientation: PictureOrientation
    ) throws(EncodingError) {
        try integer(TIFFTAG_SUBFILETYPE, Int(subfile))
        try integer(TIFFTAG_IMAGEWIDTH, size.width)
        try integer(TIFFTAG_IMAGELENGTH, size.height)
        try integer(TIFFTAG_BITSPERSAMPLE, bits)
        try integer(TIFFTAG_SAMPLESPERPIXEL, samples)
        try integer(TIFFTAG_COMPRESSION, Int(compression))
        try integer(TIFFTAG_PHOTOMETRIC, Int(photometric))
        try integer(TIFFTAG_PLANARCONFIG, Int(PLANARCONFIG_CONTIG))
        try integer(TIFFTAG_ORIENTATION, Int(orientation.rawValue))
        try integer(TIFFTAG_ROWSPERSTRIP, rowsPerStrip)
    }

    func finishDirectory() throws(EncodingError) { try check(TIFFWriteDirectory(tiff), "TIFFWriteDirectory") }

    func writeIdentity(_ metadata: PhotoMetadata) throws(EncodingError) {
        try string(TIFFTAG_MAKE, metadata.make)
        try string(TIFFTAG_MODEL, metadata.model)
        try string(TIFFTAG_SOFTWARE, metadata.software)
        try string(TIFFTAG_DATETIME, metadata.exifDateTime)
        try array(TIFFTAG_XMLPACKET, Array(metadata.xmpPacket.utf8))
    }

    /// - Parameter colourSpace: EXIF's, of a finished picture; nil for a sensor's samples.
    func writeExifDirectory(_ metadata: PhotoMetadata, colourSpace: Int? = nil) throws(EncodingError) -> UInt64 {
        try check(TIFFCreateEXIFDirectory(tiff) == 0 ? 1 : 0, "TIFFCreateEXIFDirectory")
        if let colourSpace {
            try integer(EXIFTAG_COLORSPACE, colourSpace)
            try array(EXIFTAG_FLASHPIXVERSION, Array("0100".utf8))
        }
        try array(EXIFTAG_EXIFVERSION, Array("0232".utf8))
        if let duration = metadata.exposure.duration { try double(EXIFTAG_EXPOSURETIME, duration.seconds) }
        if let iso = metadata.exposure.iso {
            try array(EXIFTAG_ISOSPEEDRATINGS, [UInt16(clamping: Int(iso.rounded()))])
        }
        if let bias = metadata.exposureBias { try double(EXIFTAG_EXPOSUREBIASVALUE, bias) }
        try writeLens(metadata.lens)
        try integer(EXIFTAG_EXPOSUREMODE, metadata.isBracketed ? 2 : 1)
        try integer(EXIFTAG_EXPOSUREPROGRAM, 1)
        try string(EXIFTAG_DATETIMEORIGINAL, metadata.exifDateTime)
        try string(EXIFTAG_SUBSECTIME, metadata.exifSubSeconds)
        try string(EXIFTAG_SUBSECTIMEORIGINAL, metadata.exifSubSeconds)
        try string(EXIFTAG_OFFSETTIME, "+00:00")
        try string(EXIFTAG_OFFSETTIMEORIGINAL, "+00:00")
        try string(EXIFTAG_IMAGEUNIQUEID, metadata.imageUniqueID)
        if let serial = metadata.bodySerialNumber { try string(EXIFTAG_BODYSERIALNUMBER, serial) }
        var place: UInt64 = 0
        try check(TIFFWriteCustomDirectory(tiff, &place), "TIFFWriteCustomDirectory")
        return place
    }

    private func writeLens(_ lens: Lens?) throws(EncodingError) {
        if let fNumber = lens?.fNumber { try double(EXIFTAG_FNUMBER, fNumber) }
        if let length = lens?.focalLength { try double(EXIFTAG_FOCALLENGTH, length) }
        if let equivalent = lens?.focalLengthIn35mmFilm, (1...65_000).contains(equivalent) {
            try integer(EXIFTAG_FOCALLENGTHIN35MMFILM, Int(equivalent.rounded()))
        }
        if let model = lens?.model { try string(EXIFTAG_LENSMODEL, model) }
    }

    // MARK: One field

    func offset(_ tag: Int32, _ value: UInt64) throws(EncodingError) {
        try check(ctiff_set_offset(tiff, UInt32(tag), value), "TIFFSetField(\(tag))")
    }

    func integer(_ tag: Int32, _ value: Int) throws(EncodingError) {
        try check(ctiff_set_integer(tiff, UInt32(tag), UInt32(value)), "TIFFSetField(\(tag))")
    }

    func double(_ tag: Int32, _ value: Double) throws(EncodingError) {
        try check(ctiff_set_double(tiff, UInt32(tag), value), "TIFFSetField(\(tag))")
    }

    func string(_ tag: Int32, _ value: String) throws(EncodingError) {
        try check(ctiff_set_string(tiff, UInt32(tag), value), "TIFFSetField(\(tag))")
    }

    func array<Element: BitwiseCopyable>(_ tag: Int32, _ values: [Element]) throws(EncodingError) {
        let result = values.withUnsafeBytes { ctiff_set_array(tiff, UInt32(tag), UInt32(values.count), $0.baseAddress) }
        try check(result, "TIFFSetField(\(tag))")
    }

    func check(_ result: Int32, _ call: String) throws(EncodingError) {
        guard result == 1 else { throw EncodingError(call: call, message: "libtiff refused") }
    }
}
