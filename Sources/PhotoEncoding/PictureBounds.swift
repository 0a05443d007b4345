/// What a picture's header may claim: a file of some bytes must not take gigabytes.
enum PictureBounds {
    /// The most pixels of a camera, and of what is made of its pictures.
    private static let mostPixels = 150_000_000
    /// A file has at least one byte for so many pixels: a black JPEG with Huffman tables of its own has one for 170 (six
    /// blocks of two bits for 16 x 16 pixels), and no camera makes any.
    private static let mostPixelsInAByte = 180

    /// Why a picture is not decoded; nil where it may be.
    static func objection(width: Int, height: Int, byteCount: Int) -> String? {
        let (count, isTooMany) = width.multipliedReportingOverflow(by: height)
        let isSound =
            width > 0 && height > 0 && !isTooMany && count <= mostPixels
            && count / mostPixelsInAByte <= max(byteCount, 1)
        return isSound ? nil : "the picture claims \(width)x\(height), in \(byteCount) bytes"
    }
}
