import CaptureModel
import PhotoEncoding
import Video4Linux

/// What a camera sends.
enum PictureTargets {
    private static let metadata = PhotoMetadata(
        make: "m", model: "m", bodySerialNumber: nil, software: "s", takenAt: 1, exposure: Exposure(),
        exposureBias: nil, isBracketed: true, captureID: UniqueID(rawValue: 1), sequenceCount: 1,
        imageUniqueID: "00000000000000000000000000000000")

    /// A frame of Motion JPEG, as the node takes it: read to see that it is whole, and put into a file.
    static func jpeg(_ bytes: UnsafeRawBufferPointer) {
        let dimensions = Dimensions(width: 32, height: 24)
        _ = try? JPEGEncoder.thumbnail(bytes, dimensions: dimensions)
        _ = try? JPEGFile.assemble(Array(bytes), metadata: metadata, dimensions: dimensions)
    }

    /// What uvcvideo's metadata node hands out.
    static func uvc(_ bytes: UnsafeRawBufferPointer) {
        let headers = UVCHeader.headers(in: bytes)
        precondition(headers.count <= bytes.count / 12, "each takes twelve bytes at least")
        _ = UVCHeader.presentationTime(of: headers)
    }
}
