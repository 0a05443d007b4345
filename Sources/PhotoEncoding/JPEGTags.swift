import CEXIF

/// Adds tags to a JPEG that is there, whose scan is not touched.
package enum JPEGTags {
    static let xmpPrefix = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    static let exifPrefix = Array("Exif\0\0".utf8)
    private static let end = "</rdf:RDF>"

    /// Returns the file with more tags.
    ///
    /// - Parameters:
    ///   - description: an `rdf:Description` that goes into its XMP; nil for none.
    ///   - bodySerialNumber: of its EXIF; nil leaves that as it is.
    package static func add(
        description: String?, bodySerialNumber: String?, to file: [UInt8]
    ) throws(EncodingError) -> [UInt8] {
        guard file.starts(with: [0xFF, 0xD8]) else {
            throw EncodingError(call: "JPEGTags", message: "the file does not begin like a JPEG")
        }
        var (head, position): ([UInt8], Int) = ([0xFF, 0xD8], 2)
        var rest = description
        for (marker, range) in JPEGFile.segments(file) {
            let payload = Array(file[range].dropFirst(4))
            // A packet follows the other application segments.
            if let added = rest, !(0xE0...0xEF).contains(marker) {
                head += try JPEGFile.segment(xmpPrefix + Array(XMPPacket.text(of: added).utf8))
                rest = nil
            }
            if marker == 0xE1, let serial = bodySerialNumber, payload.starts(with: exifPrefix) {
                head += try JPEGFile.segment(
                    ExifSegment.changed(payload) { $0.ascii(EXIF_IFD_EXIF, EXIF_TAG_BODY_SERIAL_NUMBER, serial) })
            } else if marker == 0xE1, let added = rest, payload.starts(with: xmpPrefix) {
                head += try JPEGFile.segment(xmpPrefix + extended(Array(payload.dropFirst(xmpPrefix.count)), added))
                rest = nil
            } else {
                head += file[range]
            }
            position = range.upperBound
        }
        if let added = rest { head += try JPEGFile.segment(xmpPrefix + Array(XMPPacket.text(of: added).utf8)) }
        return head + file[position...]
    }

    private static func extended(_ packet: [UInt8], _ description: String) throws(EncodingError) -> [UInt8] {
        let text = String(decoding: packet, as: UTF8.self)
        guard let place = text.ranges(of: end).last else {
            throw EncodingError(call: "JPEGTags", message: "its XMP has no end")
        }
        return Array((text[..<place.lowerBound] + description + "\n" + text[place.lowerBound...]).utf8)
    }
}
