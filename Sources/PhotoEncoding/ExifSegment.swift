import CEXIF
import CaptureModel
import Glibc

/// EXIF 2.32 through libexif.
enum ExifSegment {
    /// The payload of an APP1 segment, `Exif\0\0` included.
    ///
    /// - Parameter thumbnail: a small JPEG for the second directory; empty for none.
    static func bytes(
        _ metadata: PhotoMetadata, dimensions: Dimensions, thumbnail: [UInt8] = []
    ) throws(EncodingError) -> [UInt8] {
        guard let data = exif_data_new() else { throw EncodingError(call: "exif_data_new", message: "out of memory") }
        defer { exif_data_unref(data) }
        exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
        let writer = Writer(data: data)
        writer.writeImage(metadata)
        writer.writeExposure(metadata)
        writer.writeLens(metadata.lens)
        writer.writeTime(metadata)
        writer.writePicture(metadata, dimensions)
        if !thumbnail.isEmpty, let copy = malloc(thumbnail.count) {
            // libexif frees it with its default allocator, which is this one.
            copy.copyMemory(from: thumbnail, byteCount: thumbnail.count)
            data.pointee.data = copy.assumingMemoryBound(to: UInt8.self)
            data.pointee.size = UInt32(thumbnail.count)
        }
        return try saved(data)
    }

    /// The payload of a segment that says nothing but how its picture is to be turned.
    static func bytes(_ orientation: PictureOrientation) throws(EncodingError) -> [UInt8] {
        guard let data = exif_data_new() else { throw EncodingError(call: "exif_data_new", message: "out of memory") }
        defer { exif_data_unref(data) }
        exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
        Writer(data: data).short(EXIF_IFD_0, EXIF_TAG_ORIENTATION, orientation.rawValue)
        return try saved(data)
    }

    /// How a JPEG is to be turned; upright where it does not say.
    static func orientation(of jpeg: [UInt8]) -> PictureOrientation {
        guard let data = exif_data_new_from_data(jpeg, UInt32(clamping: jpeg.count)) else { return .up }
        defer { exif_data_unref(data) }
        guard let entry = exif_content_get_entry(data.pointee.ifd.0, EXIF_TAG_ORIENTATION),
            entry.pointee.format == EXIF_FORMAT_SHORT, entry.pointee.components == 1, let bytes = entry.pointee.data
        else { return .up }
        return PictureOrientation(rawValue: exif_get_short(bytes, exif_data_get_byte_order(data))) ?? .up
    }

    /// The payload of a segment that is there, changed.
    static func changed(_ payload: [UInt8], _ change: (Writer) -> Void) throws(EncodingError) -> [UInt8] {
        guard let data = exif_data_new_from_data(payload, UInt32(payload.count)) else {
            throw EncodingError(call: "exif_data_new_from_data", message: "refused")
        }
        defer { exif_data_unref(data) }
        // Entries are written in the byte order of those that are there.
        exif_data_set_byte_order(data, EXIF_BYTE_ORDER_INTEL)
        change(Writer(data: data))
        return try saved(data)
    }

    private static func saved(_ data: UnsafeMutablePointer<ExifData>) throws(EncodingError) -> [UInt8] {
        var output: UnsafeMutablePointer<UInt8>?
        var size: UInt32 = 0
        exif_data_save_data(data, &output, &size)
        guard let output, size > 0 else {
            throw EncodingError(call: "exif_data_save_data", message: "no data")
        }
        defer { free(output) }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }

    struct Writer {
        fileprivate let data: UnsafeMutablePointer<ExifData>

        func writeImage(_ metadata: PhotoMetadata) {
            ascii(EXIF_IFD_0, EXIF_TAG_MAKE, metadata.make)
            ascii(EXIF_IFD_0, EXIF_TAG_MODEL, metadata.model)
            ascii(EXIF_IFD_0, EXIF_TAG_SOFTWARE, metadata.software)
            short(EXIF_IFD_0, EXIF_TAG_ORIENTATION, metadata.orientation.rawValue)
            rational(EXIF_IFD_0, EXIF_TAG_X_RESOLUTION, 72, 1)
            rational(EXIF_IFD_0, EXIF_TAG_Y_RESOLUTION, 72, 1)
            short(EXIF_IFD_0, EXIF_TAG_RESOLUTION_UNIT, 2)
            short(EXIF_IFD_0, EXIF_TAG_YCBCR_POSITIONING, 1)
        }

        func writeExposure(_ metadata: PhotoMetadata) {
            if let time = metadata.exposureTimeRational {
                rational(EXIF_IFD_EXIF, EXIF_TAG_EXPOSURE_TIME, time.numerator, time.denominator)
            }
            if let iso = metadata.exposure.iso {
                short(EXIF_IFD_EXIF, EXIF_TAG_ISO_SPEED_RATINGS, UInt16(clamping: Int(iso.rounded())))
                // 3: the number is an ISO speed.
                short(EXIF_IFD_EXIF, EXIF_TAG_SENSITIVITY_TYPE, 3)
            }
            if let bias = metadata.exposureBias {
                let hundredths = UInt32(bitPattern: Int32((bias * 100).rounded()))
                entry(EXIF_IFD_EXIF, EXIF_TAG_EXPOSURE_BIAS_VALUE, EXIF_FORMAT_SRATIONAL, 1, le(hundredths) + le(100))
            }
            // Mode 2: automatic bracket, 1: manual. Program 1: manual, whoever computed it.
            short(EXIF_IFD_EXIF, EXIF_TAG_EXPOSURE_MODE, metadata.isBracketed ? 2 : 1)
            short(EXIF_IFD_EXIF, EXIF_TAG_EXPOSURE_PROGRAM, 1)
            if metadata.whiteBalanceGains != nil { short(EXIF_IFD_EXIF, EXIF_TAG_WHITE_BALANCE, 1) }
        }

        func writeLens(_ lens: Lens?) {
            for (tag, value) in [
                (EXIF_TAG_FNUMBER, lens?.fNumber), (EXIF_TAG_FOCAL_LENGTH, lens?.focalLength),
            ] {
                // Whoever writes a camera of their own may know a lens that EXIF has no room for.
                guard let value, (0.001...1e6).contains(value) else { continue }
                rational(EXIF_IFD_EXIF, tag, UInt32((value * 1000).rounded()), 1000)
            }
            if let equivalent = lens?.focalLengthIn35mmFilm, (1...65_000).contains(equivalent) {
                short(EXIF_IFD_EXIF, EXIF_TAG_FOCAL_LENGTH_IN_35MM_FILM, UInt16(equivalent.rounded()))
            }
            if let model = lens?.model { ascii(EXIF_IFD_EXIF, EXIF_TAG_LENS_MODEL, model) }
        }

        func writeTime(_ metadata: PhotoMetadata) {
            ascii(EXIF_IFD_0, EXIF_TAG_DATE_TIME, metadata.exifDateTime)
            for tag in [EXIF_TAG_DATE_TIME_ORIGINAL, EXIF_TAG_DATE_TIME_DIGITIZED] {
                ascii(EXIF_IFD_EXIF, tag, metadata.exifDateTime)
            }
            for tag in [EXIF_TAG_SUB_SEC_TIME, EXIF_TAG_SUB_SEC_TIME_ORIGINAL, EXIF_TAG_SUB_SEC_TIME_DIGITIZED] {
                ascii(EXIF_IFD_EXIF, tag, metadata.exifSubSeconds)
            }
            for tag in [EXIF_TAG_OFFSET_TIME, EXIF_TAG_OFFSET_TIME_ORIGINAL, EXIF_TAG_OFFSET_TIME_DIGITIZED] {
                ascii(EXIF_IFD_EXIF, tag, "+00:00")
            }
        }

        func writePicture(_ metadata: PhotoMetadata, _ dimensions: Dimensions) {
            entry(EXIF_IFD_EXIF, EXIF_TAG_EXIF_VERSION, EXIF_FORMAT_UNDEFINED, 4, Array("0232".utf8))
            entry(EXIF_IFD_EXIF, EXIF_TAG_FLASH_PIX_VERSION, EXIF_FORMAT_UNDEFINED, 4, Array("0100".utf8))
            entry(EXIF_IFD_EXIF, EXIF_TAG_COMPONENTS_CONFIGURATION, EXIF_FORMAT_UNDEFINED, 4, [1, 2, 3, 0])
            short(EXIF_IFD_EXIF, EXIF_TAG_COLOR_SPACE, 1)
            long(EXIF_IFD_EXIF, EXIF_TAG_PIXEL_X_DIMENSION, UInt32(dimensions.width))
            long(EXIF_IFD_EXIF, EXIF_TAG_PIXEL_Y_DIMENSION, UInt32(dimensions.height))
            ascii(EXIF_IFD_EXIF, EXIF_TAG_IMAGE_UNIQUE_ID, metadata.imageUniqueID)
            if let serial = metadata.bodySerialNumber {
                ascii(EXIF_IFD_EXIF, EXIF_TAG_BODY_SERIAL_NUMBER, serial)
            }
        }

        /// Takes out entries of an exposure, and the thumbnail.
        func remove(_ tags: [ExifTag]) {
            for tag in tags {
                let contents = contents(EXIF_IFD_EXIF)
                if let former = exif_content_get_entry(contents, tag) { exif_content_remove_entry(contents, former) }
            }
            free(data.pointee.data)
            (data.pointee.data, data.pointee.size) = (nil, 0)
            guard let small = contents(EXIF_IFD_1) else { return }
            while small.pointee.count > 0 { exif_content_remove_entry(small, small.pointee.entries[0]) }
        }

        // MARK: One entry

        func ascii(_ ifd: ExifIfd, _ tag: ExifTag, _ text: String) {
            let bytes = Array(text.utf8) + [0]
            entry(ifd, tag, EXIF_FORMAT_ASCII, bytes.count, bytes)
        }

        fileprivate func short(_ ifd: ExifIfd, _ tag: ExifTag, _ value: UInt16) {
            entry(ifd, tag, EXIF_FORMAT_SHORT, 1, [UInt8(value & 0xFF), UInt8(value >> 8)])
        }

        private func long(_ ifd: ExifIfd, _ tag: ExifTag, _ value: UInt32) {
            entry(ifd, tag, EXIF_FORMAT_LONG, 1, le(value))
        }

        private func rational(_ ifd: ExifIfd, _ tag: ExifTag, _ numerator: UInt32, _ denominator: UInt32) {
            entry(ifd, tag, EXIF_FORMAT_RATIONAL, 1, le(numerator) + le(denominator))
        }

        private func le(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }

        /// Adds an entry whose bytes are already in the file's byte order.
        private func entry(_ ifd: ExifIfd, _ tag: ExifTag, _ format: ExifFormat, _ components: Int, _ bytes: [UInt8]) {
            guard let memory = exif_mem_new_default() else { return }
            defer { exif_mem_unref(memory) }
            guard let entry = exif_entry_new_mem(memory),
                let buffer = exif_mem_alloc(memory, UInt32(bytes.count))
            else { return }
            defer { exif_entry_unref(entry) }
            bytes.withUnsafeBytes { buffer.copyMemory(from: $0.baseAddress!, byteCount: bytes.count) }
            entry.pointee.tag = tag
            entry.pointee.format = format
            entry.pointee.components = UInt(components)
            entry.pointee.data = buffer.assumingMemoryBound(to: UInt8.self)
            entry.pointee.size = UInt32(bytes.count)
            let contents = contents(ifd)
            if let former = exif_content_get_entry(contents, tag) { exif_content_remove_entry(contents, former) }
            exif_content_add_entry(contents, entry)
        }

        private func contents(_ ifd: ExifIfd) -> UnsafeMutablePointer<ExifContent>? {
            withUnsafeBytes(of: data.pointee.ifd) {
                $0.bindMemory(to: UnsafeMutablePointer<ExifContent>?.self)[Int(ifd.rawValue)]
            }
        }
    }
}
