import CEXIF

extension JPEGTags {
    /// Gives a picture that was merged of several exposures the tags of one of them, without what only that one had.
    ///
    /// - Parameters:
    ///   - picture: a JPEG, whose own tags are left out.
    ///   - original: the JPEG of an exposure, from a node.
    ///   - imageUniqueID: 32 hexadecimal digits.
    package static func merged(
        _ picture: [UInt8], tagsOf original: [UInt8], imageUniqueID: String
    ) throws(EncodingError) -> [UInt8] {
        guard picture.starts(with: [0xFF, 0xD8]) else {
            throw EncodingError(call: "JPEGTags", message: "the picture does not begin like a JPEG")
        }
        var head: [UInt8] = [0xFF, 0xD8]
        for (marker, range) in JPEGFile.segments(original) where marker == 0xE1 {
            let payload = Array(original[range].dropFirst(4))
            if payload.starts(with: exifPrefix) {
                head += try JPEGFile.segment(ExifSegment.merged(payload, imageUniqueID: imageUniqueID))
            } else if payload.starts(with: xmpPrefix) {
                head += try JPEGFile.segment(
                    xmpPrefix
                        + XMPPacket.merged(String(decoding: payload.dropFirst(xmpPrefix.count), as: UTF8.self)).utf8)
            }
        }
        var position = 2
        for (marker, range) in JPEGFile.segments(picture) {
            if !(0xE0...0xEF).contains(marker) { head += picture[range] }
            position = range.upperBound
        }
        return head + picture[position...]
    }
}

extension ExifSegment {
    /// The payload of a segment that is there, without what only one exposure had.
    fileprivate static func merged(_ payload: [UInt8], imageUniqueID: String) throws(EncodingError) -> [UInt8] {
        try changed(payload) { writer in
            writer.remove([
                EXIF_TAG_EXPOSURE_TIME, EXIF_TAG_ISO_SPEED_RATINGS, EXIF_TAG_SENSITIVITY_TYPE,
                EXIF_TAG_EXPOSURE_BIAS_VALUE,
            ])
            writer.ascii(EXIF_IFD_EXIF, EXIF_TAG_IMAGE_UNIQUE_ID, imageUniqueID)
        }
    }
}

extension XMPPacket {
    /// A packet that is there, without what only one exposure had.
    fileprivate static func merged(_ packet: String) -> String {
        packet.replacing(
            #/ volley:(?:SequenceCount|(?:Requested|Applied|Verified|Verification|Gain)\w*)="[^"]*"/#, with: "")
    }
}
