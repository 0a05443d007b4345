import CTIFF
import CTurboJPEG
package import CaptureModel
import Posix

/// A picture as screens and drawing libraries have it: blue, green, red and a spare byte for each pixel, row by row.
package struct ScreenImage: Sendable {
    /// In pixels.
    package private(set) var dimensions: Dimensions
    /// Without padding between rows.
    package var bytes: [UInt8]

    package init(dimensions: Dimensions, bytes: [UInt8]) { (self.dimensions, self.bytes) = (dimensions, bytes) }

    /// Decodes a JPEG at the smallest of libjpeg's scales that is no smaller than a box.
    package init(jpeg: [UInt8], atLeast box: Dimensions) throws(EncodingError) {
        let (size, pixels) = try JPEGEncoder.pixels(of: jpeg, as: TJPF_BGRX) { size in
            [8, 4, 2].first { size.width / $0 >= box.width && size.height / $0 >= box.height } ?? 1
        }
        self.init(dimensions: size, bytes: pixels)
    }

    /// Decodes the first picture of a TIFF, which of a DNG is its preview, upright.
    package init(tiff path: String) throws(EncodingError) {
        ctiff_silence()
        guard let tiff = TIFFOpen(path, "r") else { throw EncodingError(call: "TIFFOpen", message: "\(path): refused") }
        defer { TIFFClose(tiff) }
        let width = ctiff_integer(tiff, UInt32(TIFFTAG_IMAGEWIDTH))
        let height = ctiff_integer(tiff, UInt32(TIFFTAG_IMAGELENGTH))
        let length = (try? PosixFileSystem().byteCount(of: path)) ?? nil
        let objection = PictureBounds.objection(width: Int(width), height: Int(height), byteCount: length ?? 0)
        if let objection { throw EncodingError(call: "TIFFGetField", message: objection) }
        let count = Int(width) * Int(height)
        var pixels = [UInt32](repeating: 0, count: count)
        // libtiff mirrors, but does not swap rows and columns: it is asked for them as they are stored.
        let orientation =
            PictureOrientation(
                rawValue: UInt16(truncatingIfNeeded: ctiff_integer(tiff, UInt32(TIFFTAG_ORIENTATION)))) ?? .up
        guard TIFFReadRGBAImageOriented(tiff, width, height, &pixels, Int32(orientation.rawValue), 1) != 0 else {
            throw EncodingError(call: "TIFFReadRGBAImageOriented", message: "refused")
        }
        dimensions = Dimensions(width: Int(width), height: Int(height))
        bytes = [UInt8](repeating: 0, count: 4 * count)
        for (index, pixel) in pixels.enumerated() {
            // Red is in the lowest byte.
            bytes[4 * index] = UInt8(truncatingIfNeeded: pixel >> 16)
            bytes[4 * index + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
            bytes[4 * index + 2] = UInt8(truncatingIfNeeded: pixel)
        }
        turn(orientation)
    }

    private mutating func turn(_ orientation: PictureOrientation) {
        guard orientation != .up else { return }
        let (stored, turned) = (dimensions, orientation.turned(dimensions))
        bytes = [UInt8](unsafeUninitializedCapacity: bytes.count) { [bytes] buffer, count in
            for y in 0..<turned.height {
                for x in 0..<turned.width {
                    let place = orientation.source(x: x, y: y, in: stored)
                    let (from, to) = (4 * (place.y * stored.width + place.x), 4 * (y * turned.width + x))
                    for byte in 0..<4 { buffer[to + byte] = bytes[from + byte] }
                }
            }
            count = bytes.count
        }
        dimensions = turned
    }

    /// Decodes a photo, upright; a JPEG no larger than it need be.
    package init(contentsOf path: String, _ format: PhotoFormat, atLeast box: Dimensions) throws(EncodingError) {
        switch format {
        case .jpeg:
            let bytes: [UInt8]
            do throws(SystemError) { bytes = try PosixFileSystem().read(path) } catch {
                throw EncodingError(call: "read", message: "\(error)")
            }
            let orientation = JPEGFile.orientation(of: bytes)
            try self.init(jpeg: bytes, atLeast: orientation.turned(box))
            turn(orientation)
        case .tiff, .dng: try self.init(tiff: path)
        }
    }

    /// This picture as a JPEG.
    ///
    /// - Parameter quality: 1 to 100, libjpeg's scale.
    package func jpeg(quality: Int = 88) throws(EncodingError) -> [UInt8] {
        let handle = try TurboJPEG(compressing: true)
        var output: UnsafeMutablePointer<UInt8>?
        var size: UInt = 0
        defer { tjFree(output) }
        let result = tjCompress2(
            handle.pointer, bytes, Int32(dimensions.width), 0, Int32(dimensions.height), Int32(TJPF_BGRX.rawValue),
            &output, &size, Int32(TJSAMP_444.rawValue), Int32(quality), 0)
        guard result == 0, let output else { throw handle.error("tjCompress2") }
        return Array(UnsafeBufferPointer(start: output, count: Int(size)))
    }
}
