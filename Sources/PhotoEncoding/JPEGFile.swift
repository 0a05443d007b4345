package import CaptureModel

/// Builds a JPEG file with metadata around a compressed picture, whose scan is not touched.
package enum JPEGFile {
    /// What a thumbnail may take of the 64 KiB that a segment holds.
    private static let thumbnailLimit = 48 << 10

    /// Makes the file of a picture.
    ///
    /// - Parameter thumbnail: a small copy to embed.
    package static func assemble(
        _ picture: [UInt8], metadata: PhotoMetadata, dimensions: Dimensions, thumbnail: YUVImage? = nil
    ) throws(EncodingError) -> [UInt8] {
        guard picture.starts(with: [0xFF, 0xD8]) else {
            throw EncodingError(call: "JPEGFile", message: "the frame does not begin like a JPEG")
        }
        var small: [UInt8] = []
        for quality in [80, 50, 20] where thumbnail != nil {
            if let thumbnail { small = try JPEGEncoder.encode(thumbnail, quality: quality) }
            if small.count <= thumbnailLimit { break }
        }
        let exif = try ExifSegment.bytes(metadata, dimensions: dimensions, thumbnail: small)
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(metadata.xmpPacket.utf8)
        var file: [UInt8] = [0xFF, 0xD8]
        file.reserveCapacity(picture.count + exif.count + xmp.count + 512)
        file += try segment(exif)
        file += try segment(xmp)
        if !hasHuffmanTables(picture) { file += try standardHuffmanTables() }
        file += picture.dropFirst(2)
        return file
    }

    /// A compressed picture that says how it is to be turned.
    package static func oriented(_ picture: [UInt8], _ orientation: PictureOrientation) throws(EncodingError) -> [UInt8]
    {
        guard orientation != .up, picture.starts(with: [0xFF, 0xD8]) else { return picture }
        return try [0xFF, 0xD8] + segment(ExifSegment.bytes(orientation)) + picture.dropFirst(2)
    }

    /// How a JPEG says that it is to be turned.
    package static func orientation(of jpeg: [UInt8]) -> PictureOrientation { ExifSegment.orientation(of: jpeg) }

    /// The segment APP1 with a payload.
    static func segment(_ payload: [UInt8]) throws(EncodingError) -> [UInt8] {
        let length = payload.count + 2
        guard length <= 0xFFFF else {
            throw EncodingError(call: "JPEGFile", message: "its tags do not fit into a segment of 64 KiB")
        }
        return [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    /// The segments between the start of the picture and its scan.
    static func segments(_ picture: [UInt8]) -> [(marker: UInt8, range: Range<Int>)] {
        var found: [(UInt8, Range<Int>)] = []
        var position = 2
        while position + 4 <= picture.count, picture[position] == 0xFF, picture[position + 1] != 0xDA {
            let length = Int(picture[position + 2]) << 8 | Int(picture[position + 3])
            let end = min(picture.count, position + 2 + max(2, length))
            found.append((picture[position + 1], position..<end))
            position = end
        }
        return found
    }

    private static func hasHuffmanTables(_ picture: [UInt8]) -> Bool {
        segments(picture).contains { $0.marker == 0xC4 }
    }

    /// The tables that Motion JPEG leaves out (ITU T.81, K.3): those that libjpeg itself writes.
    private static func standardHuffmanTables() throws(EncodingError) -> [UInt8] {
        let grey = [UInt8](repeating: 128, count: 16 * 16)
        let colour = [UInt8](repeating: 128, count: 8 * 8)
        let sample = try JPEGEncoder.encode(
            YUVImage(
                dimensions: Dimensions(width: 16, height: 16), subsampling: .yuv420, planes: [grey, colour, colour]))
        return segments(sample).filter { $0.marker == 0xC4 }.flatMap { sample[$0.range] }
    }
}
