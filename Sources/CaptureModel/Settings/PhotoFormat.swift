/// The kind of file that a photo is delivered as.
public enum PhotoFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// A processed photo, JPEG.
    case jpeg
    /// A lossless processed photo, TIFF: red, green and blue of 8 bits each, or luma as deep as the camera delivers it.
    case tiff
    /// A RAW photo, the sensor's Bayer samples in a DNG.
    case dng

    /// Whether it holds the sensor's samples rather than a finished picture.
    public var isRaw: Bool { self == .dng }

    /// The extension of its file names, without the dot.
    public var pathExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .tiff: "tif"
        case .dng: "dng"
        }
    }
}
