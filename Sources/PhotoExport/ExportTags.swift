import PhotoEncoding

/// What is added to the tags of a JPEG on its way out.
package struct ExportTags: Sendable, Hashable {
    /// An `rdf:Description`; nil for none.
    var xmp: String?
    /// Nil leaves it as it is.
    var bodySerialNumber: String?

    func added(to file: [UInt8]) throws(EncodingError) -> [UInt8] {
        try JPEGTags.add(description: xmp, bodySerialNumber: bodySerialNumber, to: file)
    }
}
